"""A search program whose first argument says how it behaves; for tests of sources that run programs."""

import json
import os
import subprocess
import sys
import time

act, *arguments = sys.argv[1:]
rows = [{"name": f"Title {at}", "link": f"https://example.org/{at}", "text": f"Text {at}"} for at in range(9)]
match act:
    case "rows":
        print(json.dumps({"hits": rows, "asked": arguments}))
    case "lines":
        print("\n".join(map(json.dumps, rows)))
    case "echo":
        print(json.dumps([{"title": argument, "url": "https://example.org/"} for argument in arguments]))
    case "environment":
        print(json.dumps([{"title": name, "url": "https://example.org/", "text": value} for name, value in os.environ.items()]))
    case "resolve":
        print(json.dumps({"results": [{"id": f"/acme/{arguments[0]}"}] if arguments[0] != "unknown" else []}))
    case "exit":
        print("first line", file=sys.stderr)
        print(f"\x1b[31mno\x1b[0m: {os.environ.get('A_KEY', '')} {arguments[1]}", file=sys.stderr)
        sys.exit(int(arguments[0]))
    case "flood":
        while True:
            sys.stdout.write("x" * 65536)
    case "hang":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open(arguments[0], "w", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {child.pid}")
        time.sleep(60)
    case "error":
        print(json.dumps({"error": arguments[0]}))
    case "text":
        print(" ".join(arguments))
