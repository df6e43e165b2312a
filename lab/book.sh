#!/usr/bin/env bash
# Builds the manual: lab/book.sh MDBOOK DISKWRIGHT FOLDER. The sources are docs/, and the help of each verb behind the table of commands.
set -euo pipefail
mdbook=$1 diskwright=$2 folder=$3
cd "$(dirname "$0")/.."
rm -rf "$folder"
mkdir -p "$folder"
cp -r docs "$folder/src"
cp lab/book.toml "$folder/book.toml"
# Links to the code lead to the repository.
repository=$(sed -n 's/^repository = "\(.*\)"$/\1/p' Cargo.toml)
find "$folder/src" -name '*.md' -exec sed -i -E "s#\]\((\.\./)+(crates|examples|lab|benches|[A-Z]+\.md)#](${repository}/blob/main/\2#g" {} +
commands=$folder/src/reference/commands.md
# shellcheck disable=SC2016 # the quotes are Markdown's
mapfile -t verbs < <(sed -n 's/^|`\([a-z][^`]*\)`|.*/\1/p' "$commands")
for verb in "${verbs[@]}"; do
  read -ra words <<< "$verb"
  # shellcheck disable=SC2016
  printf '\n## %s\n\n```text\n%s\n```\n' "$verb" "$("$diskwright" "${words[@]}" --help)" >> "$commands"
done
"$mdbook" build "$folder" --dest-dir "$folder/html"
