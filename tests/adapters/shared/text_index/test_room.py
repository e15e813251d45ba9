import subprocess
import sys

import pytest

RACE = """
import sys
import threading

sys.setswitchinterval(1e-6)
troubles = []
go = threading.Barrier(2)


def load(target):
    go.wait()
    try:
        __import__(target, fromlist=["TextIndex"])
    except BaseException as error:
        troubles.append(repr(error))


ROOM = "encyclopedia_adapters.shared.text_index"
for _ in range(25):
    for name in [name for name in sys.modules if name.startswith(ROOM)]:
        del sys.modules[name]
    threads = [threading.Thread(target=load, args=(target,)) for target in (ROOM, f"{ROOM}.analyser")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(troubles)
"""


@pytest.mark.spec("ENC-INDEX-14")
def test_threads_that_load_the_room_and_a_part_of_it_at_once_do_not_lock_each_other_out():
    done = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
