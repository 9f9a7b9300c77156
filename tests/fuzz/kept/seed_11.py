LIMIT = 5
TABLE = {"a": 1, "b": 2}
LOG = []


class Box:
    kind = "box"

    def __init__(self, size, tag="t"):
        self.size = size
        self.tag = tag

    @property
    def area(self):
        return self.size * self.size

    def grow(self, by=1, *, times=1):
        self.size += by * times
        return self

    def __eq__(self, other):
        return isinstance(other, Box) and self.size == other.size

    def __hash__(self):
        return hash(self.size)

    def __len__(self):
        return self.size % 4

    def __add__(self, other):
        return Box(self.size + other) if isinstance(other, int) else NotImplemented

    def __getitem__(self, index):
        if index >= 3:
            raise IndexError(index)
        return self.size + index

    def __repr__(self):
        return f"Box({self.size}, {self.tag!r})"


class Lid(Box):
    def grow(self, by=1, **options):
        super().grow(by + 1, **options)
        self.tag += "+"
        return self

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError(name)
        return len(name)


class Guarding:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        LOG.append("in")
        return self.swallow

    def __exit__(self, kind, value, trace):
        LOG.append(kind.__name__ if kind else "out")
        return self.swallow and kind is not None and issubclass(kind, LookupError)


class Refused(ValueError):
    pass


def f0(p0, p1, p2):
    v1 = (v2 := 2) > 2
    if v1:
        for v3 in (((p2 if v1 else (p2 if v1 else Lid(10))) if v1 else Lid(7))):
            v3 %= v2
            with Guarding(False) as v4:
                v5 = float(v3)
                pass
            for v6 in [v2, 7][:4]:
                v7 = ((v3 & v3) * 0.5)
                v3 = v2
                pass
            else:
                assert v1 or v1, 'xyz'
                pass
            if (v2 not in {1, 0}): break
            pass
        assert v1 or all(x > 0 for x in p0), 'k'
        if v1: return -1.25
        pass
    elif 3.0:
        for v8, v9 in sorted((dict({str(x): x for x in [3, 7, 10, 1]}, q=v2) | {'k': 7, 'a': -1}).items())[:3]:
            try:
                assert v1 or v1, chr(97 + p2.area % 26)
                v2 = v9
                pass
            finally:
                LOG.append('finally')
                v10 = (v11 := len(v8)) > 2
            try:
                assert ((5 < (v2 * -1 % 101)) or v1) or v1, v8.replace('a', 'z')[::-1]
                v12 = {v8[0]: v2}
                pass
            except (IndexError, KeyError) as v13:
                LOG.append((type(v13).__name__, str(v13)))
                raise Refused(v8)
            except TypeError as v14:
                LOG.append((type(v14).__name__, str(v14)))
                v15 = Box(v2)
                TABLE[v8] = v2
            else:
                LOG.append((divmod(3, v9)[1] & v9))
                if v1: raise Refused(v8)
                pass
            finally:
                LOG.append('finally')
            pass
        pass
    else:
        pass
    try:
        if all(x > 0 for x in divmod(divmod(v2, v2)[1], 3)): raise IndexError('k'[0])
        v16 = {3, 0}
        pass
    except ValueError as v17:
        LOG.append((type(v17).__name__, str(v17)))
    finally:
        LOG.append('finally')
    return abs(([-1, 2, 0][-4] / min(p1)))

def f1(p0, p1, p2):
    if False: return len('a')
    v18 = dict(zip('ab', [1]))
    v18.setdefault('Long one'[7:], (-4, )[0])
    TABLE[('a' + 'k')] = 5
    if (False and bool(p0)): return TABLE.get('k', 0)
    v19 = 2
    while v19 > 0:
        v19 -= 1
        if ((p0 if False else Lid(5, tag='a')) == p0): raise Refused('a')
        TABLE['xyz'] = 7
        pass
    return 7

def f2(p0, p1, p2):
    for v20 in reversed((5, -4, 3, )[:4]):
        try:
            v21 = list(filter(None, [1])).index(p1)
            pass
        except (IndexError, KeyError) as v22:
            LOG.append((type(v22).__name__, str(v22)))
            p2 = next(iter([]), -9)
            v23 = 3
            while v23 > 0:
                v23 -= 1
                LOG.append([])
                pass
        except Exception as v24:
            LOG.append((type(v24).__name__, str(v24)))
            if (True and callable(pow(-4, 2))): raise IndexError(', '.join(str(x) for x in []))
        pass
    v26 = (lambda a, b=2: (a + b, p2))(Box(1)[int(True)])[0]
    for v27 in range(abs(v26) % 5):
        if True:
            v29 = (lambda a, b=2: (a + b, p1))(10)[0]
            pass
        for v30 in range(abs(p1) % 5):
            if True: return 'a'
            for v31 in range(abs(v26) % 5):
                v32 = (v33 := 7) > 2
                assert (callable(v30) and (p2 == p2)) or (Box(v27) == Lid(-1)), 'b'
                pass
            if (1 < p2 <= 5):
                p0 = p0
                if False: raise KeyError('a')
                if isinstance(Lid(p1, tag='{}/{}'.format(p2, '')), Lid): raise Refused('{}/{}'.format(p1, 'a'))
                pass
            elif (10, -1, ):
                if False: raise Refused(''[::-1])
                assert (((3, -1, 3, ) + (-4, ))[:4] < tuple(list((-1, )))) or True, 'a'
                assert False or ('b'.find('b') in [1]), '{}/{}'.format((-1, 7, 2, )[0], 'k')
                pass
            pass
        pass
    (v34, [v35, v36]) = (hash(p2), (2, 'n'))
    try:
        try:
            v26 = v35
            try:
                p2, v35 = v35, p2
                v26, p1 = p1, v26
                (v37, [v38, v39]) = (f1(Lid(10), Lid(-4), -1.25), (2, 'n'))
                pass
            except ZeroDivisionError as v40:
                LOG.append((type(v40).__name__, str(v40)))
                if (type(int(v36 or '4')).__name__ in {'': -4, 'a': 0}): raise IndexError(v36)
            pass
        finally:
            LOG.append('finally')
            def g41(first, *rest, key=0, **more):
                return first + sum(rest) + key + len(more)
            v42 = g41(v42, *(1, 0, ), key=f1(Lid(3), (Lid(7) if False else Box(10)).grow(), 3.0), **{})
            v43 = 3
            while v43 > 0:
                v43 -= 1
                if hasattr(Box(0), 'tag'): raise Refused(v36)
                pass
        if callable(p2): return v36
        v44 = 3
        while v44 > 0:
            v44 -= 1
            v45 = (-1, )
            pass
        pass
    except ZeroDivisionError as v46:
        LOG.append((type(v46).__name__, str(v46)))
        try:
            if True:
                LOG.append(tuple([7, 2]))
                pass
            pass
        except TypeError as v47:
            LOG.append((type(v47).__name__, str(v47)))
            try:
                v48 = (v49 := -3) > 2
                if v48: raise KeyError(str(dict(k=1).get('xyz', 7)).strip('a'))
                pass
            except LookupError as v50:
                LOG.append((type(v50).__name__, str(v50)))
                v26 >>= abs(v35) % 5
                raise
            except ValueError as v51:
                LOG.append((type(v51).__name__, str(v51)))
            else:
                assert True or False, v36.strip('a')
                if False: raise KeyError(v36)
                pass
            raise Refused(Lid(1).tag)
        except (IndexError, KeyError) as v52:
            LOG.append((type(v52).__name__, str(v52)))
            v53 = v36[::-1]
    else:
        if (5 not in p0):
            pass
        else:
            v55, *v56 = [7, *[]]
            try:
                v57 = p2
                if True: raise KeyError(Lid(0).kind[::-1][::-1])
                if ('%s:%d' % (chr(97 + -1 % 26), v26) != v36): raise Refused(repr((1, 2, )))
                pass
            except Refused as v58:
                LOG.append((type(v58).__name__, str(v58)))
                assert False or False, repr(([3][7], (v26 & p1)))
            finally:
                LOG.append('finally')
                assert True or ((len([]) & v26) in v56), (lambda i, j: f'{i}-{j:>3}{i!r}')(7, v36)[v55:]
                if callable((v34 - 2)): raise IndexError(v36)
            v35, p2 = p2, v35
            pass
        assert False or False, v36[::-1]
        pass
    return 'xyz'

def f3(p0, p1, p2):
    v59 = 4
    while v59 > 0:
        v59 -= 1
        LOG.append([7, 0, 5])
        pass
    if (([1, 3] * 2)[:5] == [3, -4, 7]):
        try:
            LOG.append('k')
            for v60, v61 in enumerate(type(LIMIT).__name__[:3]):
                v60 //= f1(Box(1), (Box(v60) if p2 else Lid(-4)), p0)
                pass
            if False:
                p1.pop('Long one', None)
                if False: return (-4, 2, )
                pass
            elif Lid(1):
                pass
            else:
                if p2: return (3, 0, )
                pass
            pass
        except ZeroDivisionError as v62:
            LOG.append((type(v62).__name__, str(v62)))
            if (min((3, 7, )) not in {3}):
                v63, *v64 = [7, *[2, 10, 3, 7]]
                LOG.append(divmod(v63, 3))
                pass
            else:
                if p2: raise KeyError(chr(97 + 2 % 26))
                LOG.append(dict(p1, q=5))
                pass
            del p1['']
        except LookupError as v65:
            LOG.append((type(v65).__name__, str(v65)))
            try:
                p0 = (abs(p0) * (p0 + round(-1.25)))
                pass
            except Refused as v66:
                LOG.append((type(v66).__name__, str(v66)))
                if p2: return (-1, )
            except ValueError as v67:
                LOG.append((type(v67).__name__, str(v67)))
            v68 = 'k'
        else:
            if p2:
                v69, *v70 = [7, *[10, -1, 5, 7][1:][1:]]
                pass
            elif {3}:
                v71, *v72 = [7, *([x + 1 for x in sorted({-4, 10})] + [7, 10, 0, 5])]
                pass
            for v73, v74 in zip(list(map(lambda x: x * 2, [2, 5]))[:3], tuple(([len(w) for w in 'a'.split()] + list(map(lambda x: x * 2, [3]))))):
                del p1['b']
                pass
            if p2:
                p2 = p2
                assert p2 or p2, 'b'
                v75, *v76 = [7, *[]]
                pass
            else:
                v77 = (v78 := (5, )[0]) > 2
                pass
            pass
        finally:
            LOG.append('finally')
            LOG.append([10])
            v79 = 2
            while v79 > 0:
                v79 -= 1
                v80 = {2, 5}
                assert ((p0 >= 5) or callable(1)) or p2, 'xyz'
                pass
        pass
    else:
        v81 = (Box(0).grow() if (True or p2) else Lid(-4))
        for v82 in range(abs(len(('a' * 2))) % 5):
            LOG.append(not p2)
            if p2:
                LOG.append([1][v82])
                if not ((1 or 2) == min((5, ))): return tuple(sorted([7, 0, 10, 10]))
                pass
            elif {5, 3, -4}:
                if p2: raise IndexError('k')
                TABLE[f2({2}, next(iter([1, -1]), -9), [].count((-1, 7, )[0]))] = v82
                pass
            else:
                if p2: raise IndexError('')
                v83 = (v84 := {}.get(Box(10).tag, v82)) > 2
                if v83: raise IndexError('k')
                pass
            if p2: continue
            pass
        pass
    assert p2 or bool([2, -1]), 'b'
    if p2:
        if p2: raise Refused('k')
        for v85 in range(abs(sum([2, 10])) % 5):
            if False:
                pass
            else:
                assert (v85 == (3, 10, 5, )[0]) or ((1, 0, 2, ) < (10, 1, 7, )[::-1][::-1]), ''
                pass
            for v86 in reversed((v85, -4)[:4]):
                v87 = (v85 not in {-4})
                if bool(sorted([10], key=lambda x: -x)): break
                pass
            try:
                v88 = Box(7)
                pass
            except (IndexError, KeyError) as v89:
                LOG.append((type(v89).__name__, str(v89)))
                v90 = ''
            except AttributeError as v91:
                LOG.append((type(v91).__name__, str(v91)))
            pass
        pass
    p1 = p1
    v92 = 3
    while v92 > 0:
        v92 -= 1
        if ((Box(-1) if p2 else Box(7)) == Lid(5).grow()): raise KeyError('b')
        with Guarding(True) as v93:
            with Guarding(False) as v94:
                (v95, [v96, v97]) = (~(10 * Lid(0).grow(1).size % 101), (2, 'n'))
                p0 = p0
                p1.pop(v97, None)
                pass
            pass
        pass
    return ((2, 3) + (3, 5)[::-1])[:4]


CALLS = [('f3', ('3.0', '{}', 'False')), ('f3', ('3.0', 'dict(k=1)', 'False')), ('f3', ('3.0', 'dict(k=1)', 'True')), ('f3', ('3.0', '{}', 'False'))]
