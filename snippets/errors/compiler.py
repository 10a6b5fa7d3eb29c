import json
import re
import runpy
import sys

for name in sys.stdin:
    try:
        runpy.run_path(name.strip())
        said = "no error"
    except Exception as error:
        text = re.sub(r"\x1b\[\d+m", "", str(error))  # colors
        text = re.sub(r" at \w+>", ">", text)  # addresses differ from run to run
        lines = [line.strip().removeprefix(">>> ") for line in text.splitlines()]
        end = re.compile("There are|File |During|See |$")
        first = next(i for i, line in enumerate(lines) if line)
        head = lines[first : first + 1]
        for line in filter(None, lines[first + 1 :]):
            if end.match(line) and line:
                break
            head.append(line)
        inner = [line for line in lines if re.match(r"\w+Error: ", line) and line not in head]
        said = "\n".join([f"{type(error).__name__}: {head[0]}", *head[1:], *inner[:1]])
    print(json.dumps(said), flush=True)
