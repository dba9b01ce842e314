/* A plugin of qemu's user emulation, built and used by check.sh: how many instructions run in a function that main
 * calls, qemu-aarch64 -plugin qemu_count.so,function=NAME -d plugin PROGRAM. Debian's packages have no header of
 * qemu's: what is declared here is version 1 of the interface (QEMU 4.2 to 8.2). */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb; /* a block of instructions without jumps between them */
struct qemu_plugin_insn;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, void (*call)(unsigned processor, void *context),
                                          int flags, void *context);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*call)(uint64_t id, void *context), void *context);
void qemu_plugin_outs(const char *text);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

typedef struct block {
    size_t instructions;
    int is_function, is_main;
} block;

static const char *function;
static int is_within;
static uint64_t counted;

static void run(unsigned processor, void *context) {
    const block *at = context;
    (void)processor;
    is_within = (is_within || at->is_function) && !at->is_main;
    if (is_within)
        counted += at->instructions;
}

static void translate(uint64_t id, struct qemu_plugin_tb *translated) {
    const char *symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(translated, 0));
    block *at = malloc(sizeof *at); /* for the life of the process */
    (void)id;
    if (at == NULL)
        abort();
    *at = (block){.instructions = qemu_plugin_tb_n_insns(translated),
                  .is_function = symbol != NULL && strcmp(symbol, function) == 0,
                  .is_main = symbol != NULL && strcmp(symbol, "main") == 0};
    qemu_plugin_register_vcpu_tb_exec_cb(translated, run, 0, at);
}

static void end(uint64_t id, void *context) {
    char text[64];
    (void)id, (void)context;
    snprintf(text, sizeof text, "Collected : %" PRIu64 "\n", counted);
    qemu_plugin_outs(text);
}

int qemu_plugin_install(uint64_t id, const void *about, int count, char **arguments);
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *about, int count,
                                                               char **arguments) {
    (void)about;
    const char *name = count == 1 ? strchr(arguments[0], '=') : NULL;
    if (name == NULL || (function = strdup(name + 1)) == NULL)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
