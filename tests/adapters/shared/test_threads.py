from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from encyclopedia_adapters.shared.threads import one_thread


def threads() -> set[int]:
    """Of every library for matrices in this process."""
    assert np.eye(2).sum() == 2
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.spec("ENC-EMBED-10")
def test_matrices_are_multiplied_on_one_thread_and_others_get_theirs_back() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_thread():
            assert threads() <= {1}
        assert threads() == before


@pytest.mark.spec("ENC-EMBED-10")
def test_the_last_of_several_callers_gives_them_back_whatever_their_order() -> None:
    meet = Barrier(3)

    def inside(order: int) -> set[int]:
        with one_thread():
            meet.wait(10)
            return threads()

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with ThreadPoolExecutor(3) as pool:
            assert all(found <= {1} for found in pool.map(inside, range(3)))
        assert threads() == before
