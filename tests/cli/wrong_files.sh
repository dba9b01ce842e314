#!/bin/bash
# Every wrong file and command line of tests/golden/wrong_files.txt gets the exit code and the message that stand there.
exec python3 "$(dirname "$0")/../golden/wrong_files.py" "$1"
