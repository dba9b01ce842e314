#!/bin/bash
# An interrupted fit keeps a checkpoint, and resumes to the very model of a fit that wasn't.
. "$(dirname "$0")/harness.bash"

awk 'BEGIN { srand(3); for (i = 0; i < 400; i++) { for (j = 0; j < 48; j++) printf "%s%.6f", j ? "," : "", rand(); print "" } }' >x.csv
awk 'BEGIN { srand(4); for (i = 0; i < 400; i++) { for (j = 0; j < 48; j++) printf "%s%.6f", j ? "," : "", 440 + 10 * rand(); print "" } }' >y.csv
fit() { "$hcr" fit "$regions/load.region" x.csv y.csv --encoder lstm --hidden 16 --head hcr-contract --seed 9 --epochs "$@"; }

# Interrupted once the checkpoint is there (it is written before the first epoch, too). Background jobs of a shell without job
# control ignore SIGINT, so this one is started from Python, which restores it.
cat >interrupt.py <<'END'
import os, signal, subprocess, sys, time
name, checkpoint, command = sys.argv[1], sys.argv[2], sys.argv[3:]
child = subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
while not os.path.exists(checkpoint) and child.poll() is None:
    time.sleep(0.01)
time.sleep(0.3)
child.send_signal(signal.Signals[name])
sys.exit(child.wait())
END
python3 interrupt.py SIGINT broken.checkpoint "$hcr" fit "$regions/load.region" x.csv y.csv --encoder lstm --hidden 16 \
    --head hcr-contract --seed 9 --epochs 100000 -o broken >output 2>messages
same "interrupted" 130 $?
says "$(cat messages)" 'interrupted after [0-9]+ epochs.*--resume'
exists broken.checkpoint
absent broken

# Go on to a few epochs more than were done, and compare with an unbroken run of so many.
done=$(grep -o 'after [0-9]* epochs' messages | grep -o '[0-9]*')
epochs=$((done + 2))
fit "$epochs" -o broken --resume >output 2>messages
same "resumed" 0 $?
absent broken.checkpoint
fit "$epochs" -o whole >/dev/null 2>&1
"$hcr" predict broken x.csv -o broken.csv
"$hcr" predict whole x.csv -o whole.csv
cmp -s broken.csv whole.csv || fail "a resumed run predicts other numbers than an unbroken one"
cmp -s broken whole || fail "a resumed run gives another model file than an unbroken one"

# A scheduler's signal does the same.
python3 interrupt.py SIGTERM ended.checkpoint "$hcr" fit "$regions/load.region" x.csv y.csv --hidden 8 --epochs 100000 -o ended >output 2>messages
same "ended" 130 $?
says "$(cat messages)" 'interrupted after [0-9]+ epochs.*--resume'
absent ended

# Nothing to go on from: reported, and started anew.
fit 2 -o fresh --resume >output 2>messages
same "no checkpoint" 0 $?
says "$(cat messages)" 'starting anew'
finish
