"""Credentials that were typed or pasted as part of an address: they are no words to search for, and nobody else's business."""

from __future__ import annotations


def without_credentials(text: str, mark: str = "@") -> str:
    """``text`` with ``mark`` in the place of what stands before the host of an address: ``https://me:word@host`` and its like.

    A mere user name stays, such as the ``git@`` of repositories, but not on the web, where a token may stand for it. With the
    mark ``@`` it is still to be seen that there was something.
    """
    if "://" not in text or "@" not in text:
        return text
    import re

    web = r"(https?://)(?!git@)[^\s/?#]*@"
    others = r"([a-z][a-z0-9+.-]{0,30}://)[^\s/?#:]*:[^\s/?#]*@"
    return re.sub(rf"(?i){web}|{others}", rf"\1\2{mark}", text)
