"""Pure Python: constants fold, what is read is guarded, a loop over a tuple leaves one constant."""
SCALE = 3


def total(numbers, offset=1):
    result = offset
    for number in numbers:
        result += number * SCALE
    return result


CALLS = [(total, ((1, 2, 4),))]
