"""printer.py CASE.py: calls the case's functions compiled and prints each entry that was made; its check program says all of its guards."""
import dis
import runpy
import sys

import framegate

framegate.config.graphless = "always"


def print_entries(region):
    for info in region.entries():
        text, code = region.printed(info["id"])
        print(f"--- entry {info['id']} of {info['code']}")
        print(*(line for line in text.splitlines() if not line.startswith(("subject", "guard"))), sep="\n")
        for instruction in dis.get_instructions(code) if code else ():
            print(f"  {'>>' if instruction.is_jump_target else '  '} {instruction.offset:4} {instruction.opname:24} {instruction.argrepr}".rstrip())


for function, arguments in runpy.run_path(sys.argv[1])["CALLS"]:
    print(f"=== {function.__qualname__}")
    compiled = framegate.compile(function, backend="eager")
    compiled(*arguments)
    print_entries(compiled.region)
