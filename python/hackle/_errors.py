"""Exceptions and the warning category."""


class Error(Exception):
    """What went wrong (`message`), what to do about it (`remedy`, may be empty) and what kind it is (`code`).

    `code` is "usage", "bad_input", "io", "failed", "cancelled" or "internal".
    """

    def __init__(self, message="", remedy="", code="failed"):
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.code = code

    def __str__(self):
        return f"{self.message} ({self.remedy})" if self.remedy else self.message

    def __reduce__(self):
        return type(self), (self.message, self.remedy, self.code)


class UsageError(Error, TypeError, ValueError):
    """The call is wrong: an unknown operator or parameter, a value out of range, an array of the wrong shape."""

    def __init__(self, message="", remedy="", code="usage"):
        super().__init__(message, remedy, code)


class InputError(Error, ValueError):
    """A file or a geometry that the call cannot work with."""

    def __init__(self, message="", remedy="", code="bad_input"):
        super().__init__(message, remedy, code)


class FileError(Error, OSError):
    """The file system said no: missing, unreadable, disk full."""

    def __init__(self, message="", remedy="", code="io"):
        super().__init__(message, remedy, code)


class Warning(UserWarning):  # noqa: A001 (hackle.Warning reads as it should)
    """Something was done that the user may not expect."""


_CLASSES = {"usage": UsageError, "bad_input": InputError, "io": FileError}


def make_error(code, message, remedy):
    """The exception for an error of the library."""
    return _CLASSES.get(code, Error)(message, remedy, code)
