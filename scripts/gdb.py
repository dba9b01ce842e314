"""Prints hcr's structs in gdb: `gdb -x scripts/gdb.py …`, then `print *region` or `print error`."""

import gdb
import gdb.printing


class Region:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        region, variables = self.value, self.value["set"]
        outputs = int(variables["outputs"])
        lines = [
            f"region of {outputs} outputs, {int(variables['n']) - outputs} parameters, margins {region['margin']}",
            f"origin {[float(region['origin'][j]) for j in range(min(outputs, 20))]}",
        ]
        for i in range(int(variables["blocks"])):
            block = variables["block"][i]
            lines.append(f"block {i}: {block['kind']['name'].string()}, {int(block['count'])} inequalities")
        return "\n  ".join(lines)


class Error:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        error = self.value
        return f"{error['code']}: {error['file'].string()}:{error['line']}:{error['column']}: {error['text'].string()}"


printers = gdb.printing.RegexpCollectionPrettyPrinter("hcr")
printers.add_printer("region", "^hcr_region$", Region)
printers.add_printer("error", "^hcr_error$", Error)
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers)
