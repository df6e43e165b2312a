die() {
  echo "$0: $*" >&2
  exit 1
}

DATA=()
LOG=()
CACHE=
while [ $# -gt 0 ]; do
  case "$1" in
    --data) IFS=, read -r -a DATA <<<"${2:?--data needs devices}"; shift 2 ;;
    --log) IFS=, read -r -a LOG <<<"${2:?--log needs devices}"; shift 2 ;;
    --cache) CACHE=${2:?--cache needs a device}; shift 2 ;;
    --user) DEPLOY_USER=${2:?--user needs a name}; shift 2 ;;
    *) die "unknown argument $1; known are --data, --log, --cache, --user" ;;
  esac
done
[ "$(id -u)" = 0 ] || die "must run as root"
[ "${#DATA[@]}" = "$DATA_VOLUMES" ] || die "expected $DATA_VOLUMES devices after --data, with commas between; see lsblk"
[ "${#LOG[@]}" = "$LOG_VOLUMES" ] || die "expected $LOG_VOLUMES devices after --log, with commas between; see lsblk"
[ "$CACHE_WANTED" = 0 ] || [ -n "$CACHE" ] || die "expected a device after --cache"
id "$DEPLOY_USER" >/dev/null 2>&1 || die "there is no user $DEPLOY_USER; make it, or name another with --user"

mounted() {
  if mountpoint -q "$1" 2>/dev/null; then
    echo "$1 is mounted already: left as it is"
  else
    return 1
  fi
}

# A device that holds a filesystem, a partition or a member of an array is not touched.
check_empty() {
  local device
  for device in "$@"; do
    [ -b "$device" ] || die "$device is no block device"
    [ -z "$(wipefs --noheadings "$device")" ] || die "$device holds something; look at it with wipefs $device"
    [ "$(lsblk --noheadings --output NAME "$device" | wc -l)" = 1 ] || die "$device is in use"
  done
}

# stripe NAME CHUNK_KIB DEVICE… prints the array.
stripe() {
  local name=$1 chunk=$2
  shift 2
  command -v mdadm >/dev/null || die "mdadm is missing: install it"
  mdadm --create "/dev/md/$name" --run --level=0 --chunk="$chunk" --raid-devices="$#" "$@" >&2
  mkdir -p /etc/mdadm
  mdadm --detail --scan "/dev/md/$name" >>/etc/mdadm/mdadm.conf
  echo "/dev/md/$name"
}

# cached NAME DEVICE FLASH MIB prints the volume: DEVICE behind a cache of MIB on FLASH.
cached() {
  local group=diskwright_$1 device=$2 flash=$3 mib=$4
  command -v lvconvert >/dev/null || die "lvm2 is missing: install it"
  {
    vgcreate "$group" "$device" "$flash"
    lvcreate --yes --name data --extents 100%PVS "$group" "$device"
    lvcreate --yes --name cache --size "${mib}m" "$group" "$flash"
    lvconvert --yes --type cache --cachevol cache --cachemode writethrough "$group/data"
  } >&2
  echo "/dev/$group/data"
}

# format_and_mount DEVICE FOLDER OPTION… with the options for mkfs.
format_and_mount() {
  local device=$1 folder=$2 uuid
  shift 2
  mkfs.ext4 -q -m 0 "$@" "$device"
  uuid=$(blkid -s UUID -o value "$device")
  mkdir -p "$folder"
  echo "UUID=$uuid $folder ext4 defaults,noatime,nodelalloc,nofail 0 2" >>/etc/fstab
  mount "$folder"
}

install_rules() {
  mkdir -p /etc/udev/rules.d
  cat >/etc/udev/rules.d/99-diskwright.rules
  if command -v udevadm >/dev/null; then
    # Without a running udev the rules hold from the next start on.
    udevadm control --reload || return 0
    udevadm trigger --subsystem-match=block --action=change || return 0
  fi
}

queue() {
  echo "/sys/block/$(basename "$(readlink -f "$1")")/queue/$2"
}

# check_request_size KIB DEVICE… raises the largest request as far as the device allows.
check_request_size() {
  local wanted=$1 device most
  shift
  for device in "$@"; do
    most=$(cat "$(queue "$device" max_hw_sectors_kb)" 2>/dev/null || echo 0)
    if [ "$most" -ge "$wanted" ]; then
      echo "$wanted" >"$(queue "$device" max_sectors_kb)" || true
    else
      echo "warning: $device takes requests of $most KiB at most: set rocksdb.compaction-readahead-size to no more" >&2
    fi
  done
}

check_write_cache() {
  local device
  for device in "$@"; do
    if [ "$(cat "$(queue "$device" write_cache)" 2>/dev/null)" = "write back" ]; then
      echo "warning: $device has a volatile write cache: every sync of the log flushes it" >&2
    fi
  done
}

folder() {
  install -d -o "$DEPLOY_USER" "$1"
}
