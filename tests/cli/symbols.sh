#!/bin/bash
# The libraries export what the headers declare: libhcr just that, the runtime all of hcr.h and nothing that no header has.
. "$(dirname "$0")/harness.bash"

libraries=$(dirname "$hcr")
exported() { nm -D --defined-only "$libraries/$1" | awk '$2 ~ /[TDBRVW]/ && $3 !~ /^_/ { print $3 }' | sort; }
declared() { (cd "$source/include" && grep -hA2 '^HCR_API' "$@") | grep -o '\bhcr_[a-z0-9_]*(' | tr -d '(' | sort -u; }
all=$(declared -r hcr)
same "libhcr" "$all" "$(exported libhcr.so)"
same "missing from libhcr_runtime" "" "$(comm -23 <(declared hcr/hcr.h) <(exported libhcr_runtime.so))"
same "strange in libhcr_runtime" "" "$(comm -13 <(echo "$all") <(exported libhcr_runtime.so))"
finish
