#!/usr/bin/awk -f
# The study's table: rows a minute, IOPS, queue depth and burst balance of two runs, from the Timelines that `bench --out` wrote as
# CSV. A row there is series,labels,unit,merge,from_ns,until_ns,value; quoted labels hold commas, so it is read from its words.
FNR == 1 { run++; next }
{
  name = $0; sub(/,.*/, "", name)
  labels = ""
  rest = substr($0, length(name) + 2)
  if (substr(rest, 1, 1) == "\"") { match(rest, /^"([^"]|"")*"/); labels = substr(rest, 1, RLENGTH); rest = substr(rest, RLENGTH + 2) }
  else { sub(/^[^,]*,/, "", rest) }
  split(rest, field, ",")
  if (name !~ /^(rows_added_per_second|read_ops|write_ops|queue_depth|io_balance)$/) next
  if (labels != "" && labels !~ /data/) next
  n++; of[n] = run; what[n] = name; from[n] = field[3]; span[n] = (field[4] - field[3]) / 1e9; value[n] = field[5]
  if (name == "rows_added_per_second" && (!(run in start) || field[3] < start[run])) start[run] = field[3]
}
# Minutes count from when the clients began: the disks are older, for rows were loaded.
function tally(i,    r, minute) {
  r = of[i]
  if (from[i] < start[r]) return
  minute = int((from[i] - start[r]) / 60e9)
  if (minute > last) last = minute
  if (what[i] == "rows_added_per_second") rows[r, minute] += value[i] * span[i]
  else if (what[i] == "queue_depth") { queue[r, minute] += value[i] * span[i]; time[r, minute] += span[i] }
  else if (what[i] == "io_balance") balance[r, minute] = sprintf("%.0f %%", value[i])
  else ops[r, minute] += value[i]
}
END {
  for (i = 1; i <= n; i++) tally(i)
  printf "%-7s %10s %10s %11s %9s %9s %9s %9s %9s\n", "minute", "gp2 rows", "io1 rows", "difference", "gp2 IOPS", "io1 IOPS", "gp2 queue", "io1 queue", "gp2 burst"
  for (m = 0; m <= last; m++) {
    for (r = 1; r <= 2; r++) {
      seconds = time[r, m] > 0 ? time[r, m] : 1
      iops[r] = ops[r, m] / seconds; deep[r] = queue[r, m] / seconds
    }
    printf "%-7d %10.0f %10.0f %11.0f %9.0f %9.0f %9.1f %9.1f %9s\n", m, rows[1, m], rows[2, m], rows[2, m] - rows[1, m], iops[1], iops[2], deep[1], deep[2], balance[1, m]
  }
}
