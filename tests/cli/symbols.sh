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

# grep finds each of them: a line of a header declares it, a line of a source defines it, and no macro makes it.
first_names() { sed -nE "s/^$1[^(]*\\b(hcr_[a-z0-9_]+)\\(.*/\\1/p" | sort; }
same "declared, a line each" "$all" "$(cat "$source"/include/hcr/*.h | first_names HCR_API)"
same "defined, a line each" "$all" "$(find "$source/src" -name '*.c' -exec cat {} + | first_names '[a-z]')"
finish
