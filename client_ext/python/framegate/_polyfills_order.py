"""Python code that the translator interprets in place of C functions of bisect and heapq.

As in `_polyfills`. Elements are compared in the order in which the C functions compare them, by `<` alone.
"""


# --- bisect


def _bounds(items, low, high):
    if low < 0:
        raise ValueError("lo must be non-negative")
    return low, len(items) if high is None else high


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    lo, hi = _bounds(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    lo, hi = _bounds(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            hi = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


# --- heapq: a hole moves down along the smaller children to a leaf, then up to where its item belongs


def _list(heap, argument):
    if not isinstance(heap, list):
        raise TypeError(f"{argument} must be list, not {type(heap).__name__}")


def _rises(heap, top, place, before):
    item = heap[place]
    while place > top:
        parent = (place - 1) >> 1
        if not before(item, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _sinks(heap, top, before):
    end = len(heap)
    item, place = heap[top], top
    while place < end >> 1:
        child = 2 * place + 1
        if child + 1 < end and not before(heap[child], heap[child + 1]):
            child += 1
        heap[place] = heap[child]
        place = child
    heap[place] = item
    _rises(heap, top, place, before)


def _less(a, b):
    return a < b


def _more(a, b):
    return b < a


def heappush(heap, item, /):
    _list(heap, "heappush() argument 1")
    heap.append(item)
    _rises(heap, 0, len(heap) - 1, _less)


def _take(heap, before):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    first, heap[0] = heap[0], last
    _sinks(heap, 0, before)
    return first


def _exchange(heap, item, before):
    if not heap:
        raise IndexError("index out of range")
    first, heap[0] = heap[0], item
    _sinks(heap, 0, before)
    return first


def _ordered(heap, before):
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sinks(heap, place, before)


def heappop(heap, /):
    _list(heap, "heappop() argument")
    return _take(heap, _less)


def heapreplace(heap, item, /):
    _list(heap, "heapreplace() argument 1")
    return _exchange(heap, item, _less)


def heappushpop(heap, item, /):
    _list(heap, "heappushpop() argument 1")
    if heap and heap[0] < item:
        return _exchange(heap, item, _less)
    return item


def heapify(heap, /):
    _list(heap, "heapify() argument")
    _ordered(heap, _less)


def heappop_max(heap, /):
    _list(heap, "_heappop_max() argument")
    return _take(heap, _more)


def heapreplace_max(heap, item, /):
    _list(heap, "_heapreplace_max() argument 1")
    return _exchange(heap, item, _more)


def heapify_max(heap, /):
    _list(heap, "_heapify_max() argument")
    _ordered(heap, _more)
