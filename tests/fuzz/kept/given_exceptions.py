"""Exceptions that the program is given: raised, handled, raised again; their tracebacks and contexts are as they would be."""
LOG = []
TABLE = {}


def within_a_handler(given):
    try:
        return TABLE["k"]
    except KeyError:
        raise given


def instead_of_it(given):
    try:
        raise given
    except ValueError as error:
        raise TypeError("x") from error


def swallowed(given):
    try:
        raise given
    except ValueError:
        pass
    return given.__traceback__ is not None, given.__context__ is None


def through_a_finally(given):
    try:
        try:
            raise given
        finally:
            LOG.append("finally")
    except ValueError as error:
        return error.__traceback__ is not None


def around(given):
    try:
        return TABLE["k"]
    except KeyError:
        return swallowed(given)


CALLS = [('within_a_handler', ('ValueError(1)',)), ('instead_of_it', ('ValueError(1)',)), ('swallowed', ('ValueError(1)',)), ('through_a_finally', ('ValueError(1)',)), ('around', ('ValueError(2)',)), ('around', ('ValueError(3)',))]
