"""Workers of their own process that share one corpus on an engine."""

from __future__ import annotations

import subprocess
import sys

from encyclopedia.model.corpus import Corpus

DOCUMENTS = 900
BATCH = 50
_WORKER = """
import sys
sys.path[:0] = sys.argv[6:]
from encyclopedia.model.corpus import Corpus
from encyclopedia_adapters.engines.opening import open_index
from tests.adapters.engines.passages import passage
name, address, documents, password = sys.argv[1], sys.argv[2], [f"d{number:04}" for number in range(int(sys.argv[3]))], sys.argv[5]
index = open_index(Corpus(name, "", "documents", "", {}, engine=address, secret=lambda _: password))
while True:
    with index.update(30) as writer:
        known = index.documents()
        pending = [document for document in documents if document not in known]
        mine = writer.claim(pending, int(sys.argv[4]))
        for document in mine:
            writer.put(document, [passage(document, f"lantern number {document}"), passage(document, f"shadow of {document}")], "1")
    print(*mine, flush=True)
    if len(mine) == len(pending):
        break
"""


def worker(corpus: Corpus, password: str) -> subprocess.Popen[str]:
    """Puts ``DOCUMENTS`` of two passages each, and prints what it has put, a line for each commit."""
    command = [sys.executable, "-c", _WORKER, corpus.name, corpus.engine, str(DOCUMENTS), str(BATCH), password, *sys.path]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
