#!/bin/bash
# Every case of docs/cases.md has a test that names it, and the table says which.
exec python3 "$2/scripts/cases"
