# What the tests under mpirun share: sourced behind ../cli/harness.bash. They are skipped where there is no mpirun, or the command was
# built without -DHCR_MPI=ON.
if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$hcr")/libhcr_mpi.so" ]; then
    echo "skipped: there is no mpirun, or the build has no HCR_MPI"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_btl_base_warn_component_unused=0 ASAN_OPTIONS=detect_leaks=0 # MPI's own

# job PROCESSES ARGUMENTS…: the command by so many processes; $output, $messages (without mpirun's own) and $code as `run` leaves them.
job() {
    local processes=$1
    shift
    code=0
    mpirun --oversubscribe -n "$processes" "$hcr" "$@" >"$folder/.output" 2>"$folder/.messages" </dev/null || code=$?
    output=$(cat "$folder/.output")
    messages=$(sed '/^-----*$/,/^-----*$/d' "$folder/.messages")
}

# as_one PROCESSES OUT ARGUMENTS…: so many processes ("1 2 4") give the bytes, the messages and the exit code of the command by itself.
# OUT is a file in this folder that they write, or "-".
as_one() {
    local numbers=$1 out=$2 wanted_output wanted_messages wanted_code
    shift 2
    run "$@"
    wanted_output=$output wanted_messages=$messages wanted_code=$code
    rm -rf wanted got
    mkdir wanted
    [ ! -f "$out" ] || mv "$out" wanted
    for processes in $numbers; do
        job "$processes" "$@"
        same "$processes processes, the exit code of $*" "$wanted_code" "$code"
        same "$processes processes, the output of $*" "$wanted_output" "$output"
        same "$processes processes, the messages of $*" "$wanted_messages" "$messages"
        mkdir got
        [ "$out" = - ] || find . -maxdepth 1 -name "$out*" -exec mv {} got \;
        diff -rq wanted got || fail "$processes processes write something else: $*"
        rm -r got
    done
}
