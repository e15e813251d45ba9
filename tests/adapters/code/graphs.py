"""Small repositories in many languages, unpacked where a test wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Context
from encyclopedia_adapters.code.graph import CodeGraph

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = {
    "webkit/__init__.py": "from .routing import Router\n",
    "webkit/routing.py": (
        "import re\nfrom .errors import NotFound as Missing\n\n\nclass Base:\n    def reset(self):\n        pass\n\n\n"
        'class Router(Base):\n    """Finds the handler of a path."""\n\n'
        "    def add(self, path, handler):\n        self.routes[compile_pattern(path)] = handler\n        self.reset()\n\n"
        "    def find(self, path):\n        raise Missing(path)\n\n\n"
        'def compile_pattern(path):\n    """Decides which placeholders a path may hold."""\n    return re.compile(path)\n'
    ),
    "webkit/errors.py": "class NotFound(Exception):\n    pass\n",
    "webkit/app.py": (
        "from webkit import Router\nfrom os import compile_pattern as other\nimport webkit.routing as r\n\n\n"
        "def make():\n    router = Router()\n    router.add('/', other)\n    other('/')\n    return r.compile_pattern('/x')\n"
    ),
    "webkit/close.py": "class Pool:\n    def close(self): ...\n\n\nclass File:\n    def close(self): ...\n\n\ndef end(x):\n    x.close()\n",
    "tests/test_routing.py": "from webkit.routing import compile_pattern\n\n\ndef test_it():\n    compile_pattern('/a')\n",
}
OTHERS = {
    "web/store.js": (
        "import { get as fetchIt } from './net.js';\n\n// Keeps what was fetched.\nexport class Store extends Cache {\n"
        "  load(key) { return this.keep(fetchIt(key)); }\n  keep(value) { return value; }\n}\n"
    ),
    "web/net.js": "export const get = async (key) => {\n  return fetch(key);\n};\n",
    "web/view.ts": (
        "import { Store } from './store';\nexport interface Shown { draw(): void }\n"
        "export class View implements Shown {\n  draw(): void { new Store().load('x'); }\n}\n"
    ),
    "web/page.tsx": "export function Page() {\n  return <p>{title()}</p>;\n}\nfunction title() { return 'x'; }\n",
    "go/pool/pool.go": (
        'package pool\n\nimport "example.org/acme/go/wire"\n\n// Pool lends connections.\ntype Pool struct {\n\tBase\n}\n\n'
        "func (p *Pool) Lend() error {\n\tp.grow()\n\treturn wire.Dial(limit())\n}\n\nfunc (p *Pool) grow() {}\n"
    ),
    "go/pool/limit.go": "package pool\n\nfunc limit() int { return 1 }\n",
    "go/wire/wire.go": "package wire\n\nfunc Dial(n int) error { return nil }\n",
    "rust/src/lib.rs": (
        "use crate::codec::encode;\n\npub trait Sink { fn put(&self); }\npub struct Disk;\n"
        "impl Sink for Disk {\n    fn put(&self) { self.flush(); encode(1); }\n}\n"
        "impl Disk {\n    /// Writes everything out.\n    fn flush(&self) {}\n}\n"
    ),
    "rust/src/codec.rs": "pub fn encode(x: i32) -> i32 { x }\n",
    "java/acme/Shop.java": (
        "package acme;\nimport acme.money.Price;\n/** Sells. */\npublic class Shop extends House implements Open {\n"
        "  Shop() { sell(1); }\n  int sell(int n) { return Price.of(n); }\n}\n"
    ),
    "java/acme/money/Price.java": "package acme.money;\npublic class Price {\n  static int of(int n) { return n; }\n}\n",
    "c/main.c": '#include "list.h"\n\n/* Starts it. */\nint main(void)\n{\n\treturn list_len(0);\n}\n',
    "c/list.c": '#include "list.h"\n\nint list_len(struct list *l)\n{\n\treturn 0;\n}\n',
    "c/list.h": "struct list { int n; };\nint list_len(struct list *l);\n",
    "cpp/shape.cpp": (
        "namespace geo {\nclass Circle : public Shape<int> {\npublic:\n  double area() const;\n  double twice() { return this->area() * 2; }\n};\n"
        "double Circle::area() const { return pi(); }\n}\n"
    ),
}


def unpack(folder: Path, files: dict[str, Any]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def graph(tmp_path: Path, files: dict[str, Any], name: str = "repository") -> CodeGraph:
    """The graph of these files, up to date."""
    made = CodeGraph(str(unpack(tmp_path / name, files)), str(tmp_path / "index" / f"{name}.db"))
    made.update()
    return made


def one(made: CodeGraph, name: str) -> Any:
    (symbol,) = [symbol for symbol in made.find(name) if symbol.kind != "module"]
    return symbol


def led_to(made: CodeGraph, name: str) -> list[tuple[str, str, str]]:
    """The calls in a definition: name, the place that it leads to, and why."""
    calls = made.callees(one(made, name))
    return [(call.name, f"{call.callee.path}:{call.callee.qualified}" if call.callee else "", call.how) for call in calls]


def context(home: Path, options: dict[str, object]) -> Context:
    return Context("codegraph", str(home), "agent", 20.0, None, lambda name: "", options)


def request(text: str, **more: Any) -> Request:
    return Request(**{"text": text, "type": QueryType.CODE_CONTEXT, "limit": 5, "timeout": 20.0, **more})
