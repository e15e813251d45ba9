"""What to do about a file that cannot be used, by what the system says of it."""

from __future__ import annotations

import errno

from encyclopedia.model.errors import ConfigurationError

PERMISSIONS = "mend its permissions"
ELSE = "move away what stands in its place"
SPACE = "free some space"
REMEDIES = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), PERMISSIONS),
    **dict.fromkeys((errno.EINVAL, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENXIO), ELSE),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), SPACE),
    **dict.fromkeys((errno.EAGAIN, errno.EDEADLK), "try again when that process is done, or end it"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "close some files, or raise the limit of open ones (`ulimit -n`)"),
    errno.ENAMETOOLONG: "use a shorter path",
}


def unusable(error: OSError) -> ConfigurationError:
    """The error for a person: which file, what the system says, what to do."""
    where = f"{error.filename}: " if error.filename else ""
    return ConfigurationError(f"{where}{error.strerror or error}", REMEDIES.get(error.errno or 0, f"{PERMISSIONS}, or {SPACE}"))
