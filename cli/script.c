#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "script.h"

#include "command.h"
#include "report.h"

void script_begin(struct script *script) {
    script->stream = open_memstream(&script->text, &script->size);
    if (script->stream == NULL)
        fail(EXIT_SOLVER, "not enough memory");
}

char *script_end(struct script *script) {
    if (fclose(script->stream) != 0)
        fail(EXIT_SOLVER, "not enough memory");
    return script->text;
}
