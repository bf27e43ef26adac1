"""The predictors against closed forms, against the published 50/45 ms table, and against an
independent algorithm.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest

from lab import predict
from lab.errors import LabError


def convolution(stations: list[tuple[float, float]], n: int) -> float:
    """Buzen's algorithm (CACM 16(9), 1973): X(N) = G(N - 1) / G(N); only sums of positive terms, so
    no cancellation.
    """
    scale = max(d / min(m, n) for d, m in stations)
    g = np.zeros(n + 1)
    g[0] = 1
    for demand, servers in stations:
        f = np.ones(n + 1)
        for j in range(1, n + 1):
            f[j] = f[j - 1] * (demand / scale) / min(j, servers)
        g = np.convolve(g, f)[: n + 1]
    return g[n - 1] / g[n] / scale


def simulate(n: int, loop_s: float, pool_s: float, servers: float, cycles: int = 4000) -> float:
    """Throughput of n deterministic customers: loop (one server, FIFO), then a pool; an event
    simulation.
    """
    now, loop_free, cycles_done = 0.0, 0.0, 0
    pool = [0.0] * (int(servers) if math.isfinite(servers) else n)
    ready = [(0.0, i) for i in range(n)]
    heapq.heapify(ready)
    start = None
    while cycles_done < cycles:
        at, client = heapq.heappop(ready)
        loop_free = max(at, loop_free) + loop_s
        begin = max(heapq.heappop(pool), loop_free)
        end = begin + pool_s
        heapq.heappush(pool, end)
        heapq.heappush(ready, (end, client))
        cycles_done += 1
        now = end
        if cycles_done == cycles // 4:
            start = (now, cycles_done)
    return (cycles_done - start[1]) / (now - start[0])


@pytest.mark.parametrize("n", [1, 4, 10, 20, 50])
def test_blocking_server_of_50_ms_gives_20_per_second_at_every_concurrency(n):
    model = predict.blocking(0.050)
    assert model.throughput([n]).at(n) == pytest.approx((20, 20))
    assert model.bound_response(n) == pytest.approx(n * 0.050)


@pytest.mark.parametrize(
    ("n", "bound", "mva"), [(1, 20, 20), (4, 80, 77.2), (10, 200, 166), (20, 200, 200)]
)
def test_nonblocking_server_matches_the_table_of_the_50_45_example(n, bound, mva):
    model = predict.nonblocking(0.005, 0.045)
    assert model.bound(n) == pytest.approx(bound)
    assert model.mva(n).throughput[-1] == pytest.approx(mva, rel=0.005)
    assert model.knee == pytest.approx(10)
    assert model.bottleneck == "loop"


@pytest.mark.parametrize(
    ("n", "bound", "mva"), [(1, 20, 20), (4, 80, 64.8), (10, 88.9, 88.3), (20, 88.9, 88.9)]
)
def test_pool_of_four_matches_the_table_by_seidmann(n, bound, mva):
    model = predict.pooled(0.005, 0.045, 4)
    assert model.bound(n) == pytest.approx(bound, rel=0.001)
    assert model.mva(n, seidmann=True).throughput[-1] == pytest.approx(mva, rel=0.005)


def test_nine_threads_reach_the_limit_of_the_loop():
    assert predict.pooled(0.005, 0.045, 8).limit < 200
    assert predict.pooled(0.005, 0.045, 9).limit == pytest.approx(200)


@pytest.mark.parametrize(
    ("loop", "pool", "servers"), [(0.005, 0.045, math.inf), (0.005, 0.045, 4), (0.002, 0.003, 2)]
)
@pytest.mark.parametrize("n", [1, 4, 10, 20, 50])
def test_a_deterministic_system_lies_in_the_band(n, loop, pool, servers):
    work = predict.delay(pool) if math.isinf(servers) else predict.queue(pool, int(servers))
    band = predict.closed(loop=predict.queue(loop), work=work).throughput([n])
    assert band.contains(n, simulate(n, loop, pool, servers), slack=0.01)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 30, 200, 500])
@pytest.mark.parametrize("servers", [2, 4, 16])
def test_mva_of_several_servers_equals_buzens_convolution(n, servers):
    model = predict.closed(loop=0.005, pool=predict.queue(0.045, servers), delay=0.020)
    expected = convolution([(0.005, 1), (0.045, servers), (0.020, math.inf)], n)
    assert model.mva(n).throughput[-1] == pytest.approx(expected, rel=1e-6)


def test_mva_of_balanced_stations_equals_the_closed_form():
    # K equal stations of demand D: X(N) = N / (D (N + K - 1)).
    x = predict.closed(a=0.01, b=0.01, c=0.01).mva(25).throughput
    n = np.arange(1, 26)
    assert x == pytest.approx(n / (0.01 * (n + 2)))


def test_littles_law_holds_in_every_line_of_mva():
    m = predict.closed(loop=0.005, pool=predict.queue(0.045, 4), delay=0.01).mva(40)
    assert m.throughput * m.response == pytest.approx(m.n)
    assert m.queue.sum(axis=1) == pytest.approx(m.n)


def test_bounds_enclose_mva():
    model = predict.closed(loop=0.005, disk=0.003, delay=0.02, think_s=0.1)
    m = model.mva(60)
    for n, x in zip(m.n, m.throughput, strict=True):
        assert model.pessimistic(n) * (1 - 1e-9) <= x <= model.bound(n) * (1 + 1e-9)


def test_one_slow_request_in_a_hundred_makes_everybody_wait_31_ms():
    mixed = predict.mg1(20, [(0.99, 0.005), (0.01, 0.5)])
    assert mixed.utilisation == pytest.approx(0.199)
    assert mixed.wait_s == pytest.approx(0.0315, rel=0.01)
    assert predict.md1(20, 0.005).wait_s == pytest.approx(0.00028, rel=0.01)


def test_md1_waits_half_of_mm1():
    assert predict.md1(50, 0.01).wait_s == pytest.approx(predict.mm1(50, 0.01).wait_s / 2)


def test_mm1_percentiles_are_those_of_an_exponential():
    q = predict.mm1(80, 0.01)
    assert q.response_s == pytest.approx(0.05)
    assert q.in_system == pytest.approx(4)
    assert q.quantile(0.5) == pytest.approx(0.05 * math.log(2))


def test_mg1_agrees_with_a_simulated_queue():
    rng = np.random.default_rng(3)
    n = 200_000
    gaps = rng.exponential(1 / 60, n)
    service = np.where(rng.random(n) < 0.1, 0.05, 0.005)
    wait, total = 0.0, 0.0
    for gap, s in zip(gaps[1:], service[:-1], strict=True):
        wait = max(0.0, wait + s - gap)
        total += wait
    assert predict.mg1(60, [(0.9, 0.005), (0.1, 0.05)]).wait_s == pytest.approx(total / n, rel=0.1)


def test_overload_of_an_open_queue_is_refused_with_the_highest_rate():
    with pytest.raises(LabError, match="below 200/s"):
        predict.mm1(250, 0.005)


def test_shares_that_do_not_add_up_are_refused():
    with pytest.raises(LabError, match="add up to 1"):
        predict.mg1(1, [(0.5, 0.1)])


def test_prefork_names_what_binds():
    law = predict.prefork(workers=4, demand_s=0.05, cpu_s=0.005, cores=2)
    assert law.bound(100) == pytest.approx(80)
    assert (law.binding(2), law.binding(100)) == ("connections", "workers")
    assert predict.prefork(40, 0.05, 0.005, 2).binding(100) == "cores"


def test_two_core_law_halves_nothing_until_the_cores_are_full():
    assert predict.two_core(100e-6, 40e-6).binding(100) == "server"
    assert predict.two_core(100e-6, 40e-6, cores=1).bound(100) == pytest.approx(1 / 140e-6)


def test_threads_under_an_interpreter_lock_share_one_core():
    assert predict.threaded(16, 0.05, 0.01).bound(100) == pytest.approx(100)


def test_usl_is_recovered_from_its_own_points():
    truth = predict.Usl(1000, 0.05, 0.002)
    n = [1, 2, 4, 8, 16, 32, 64]
    fit = predict.usl(n, [truth.throughput(v) for v in n])
    assert (fit.gamma, fit.alpha, fit.beta) == pytest.approx((1000, 0.05, 0.002), rel=0.02)
    assert fit.peak == pytest.approx(math.sqrt(0.95 / 0.002), rel=0.05)


@pytest.mark.parametrize("seed", range(20))
def test_usl_of_noisy_points_is_no_worse_than_scipys(seed):
    from scipy.optimize import least_squares

    random = np.random.default_rng(seed)
    n = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    alpha, beta = random.choice([0, 0.03, 0.4, 1]), random.choice([0, 1e-5, 1e-2])
    truth = predict.Usl(10.0 ** random.uniform(0, 5), alpha, beta)
    throughputs = truth.throughput(n) * np.exp(random.normal(0, 0.1, len(n)))

    def off(p):
        return np.log(predict.Usl(*p).throughput(n)) - np.log(throughputs)

    start, bounds = (throughputs[0], 0.05, 1e-4), ([0, 0, 0], [np.inf, 1, np.inf])
    theirs = least_squares(off, start, bounds=bounds, x_scale=(throughputs[0], 0.1, 1e-3))
    fit = predict.usl(n.tolist(), throughputs.tolist())
    ours = off((fit.gamma, fit.alpha, fit.beta))
    assert 0 <= fit.alpha <= 1 and fit.beta >= 0
    assert ours @ ours <= 2 * theirs.cost * (1 + 1e-6)


def test_usl_needs_six_points():
    with pytest.raises(LabError, match="at least 6 points"):
        predict.usl([1, 2, 3], [1, 2, 3])


def test_a_band_answers_only_for_its_own_x():
    with pytest.raises(LabError, match="not for 3"):
        predict.blocking(0.05).throughput([1, 2]).at(3)


def test_the_examples_of_the_room_are_right():
    server = predict.closed(loop=0.005, delay=0.045)
    assert server.limit == pytest.approx(200)
    assert server.bound(5) == pytest.approx(100)
    assert predict.little(200, 0.05) == pytest.approx(10)
