"""Long calls: the GIL is released, progress arrives, Ctrl-C and exceptions stop them, warnings come out."""

import os
import signal
import threading
import time
import unittest
import warnings

import hackle
import hackle_slow


class LongCalls(unittest.TestCase):
    def test_other_threads_run_meanwhile(self):
        ticks = []
        stop = threading.Event()

        def count():
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        counter = threading.Thread(target=count)
        counter.start()
        start = time.perf_counter()
        hackle_slow.run(0.3)
        end = time.perf_counter()
        stop.set()
        counter.join()
        self.assertGreater(sum(start < t < end for t in ticks), 30)

    def test_two_runs_at_once(self):
        spans = []

        def run():
            start = time.perf_counter()
            hackle_slow.run(0.3, threads=1)
            spans.append((start, time.perf_counter()))

        runs = [threading.Thread(target=run) for _ in range(2)]
        for thread in runs:
            thread.start()
        for thread in runs:
            thread.join()
        overlap = min(end for _, end in spans) - max(start for start, _ in spans)
        self.assertGreater(overlap, 0.2)

    def test_progress_arrives_in_order_on_the_calling_thread(self):
        calls = []
        hackle_slow.run(0.3, progress=lambda *news: calls.append((threading.get_ident(), *news)))
        self.assertGreater(len(calls), 4)
        self.assertEqual({ident for ident, *_ in calls}, {threading.get_ident()})
        self.assertEqual({stage for _, stage, _, _ in calls}, {"wait"})
        fractions = [fraction for _, _, fraction, _ in calls]
        self.assertEqual(fractions, sorted(fractions))
        self.assertTrue(all(0 <= f <= 1 for f in fractions))
        self.assertGreater(fractions[-1], 0.7)
        seconds = [s for *_, s in calls]
        self.assertEqual(seconds, sorted(seconds))

    def test_exception_in_the_callback_cancels_and_passes_on(self):
        def give_up(stage, fraction, seconds):
            raise LookupError("enough")

        start = time.perf_counter()
        with self.assertRaisesRegex(LookupError, "enough"):
            hackle_slow.run(30, progress=give_up)
        self.assertLess(time.perf_counter() - start, 10)

    def test_ctrl_c_stops_the_run(self):
        sent = []

        def interrupt():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.2, interrupt)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            hackle_slow.run(30)
        waited = time.perf_counter() - sent[0]
        timer.join()
        print(f"stopped {waited * 1e3:.0f} ms after Ctrl-C")
        self.assertLess(waited, 10)
        # Nothing lingers: the next run is a normal one.
        hackle_slow.run(0.05)

    def test_ctrl_c_stops_an_operator(self):
        sent = []
        shape = hackle.model("knot", resolution=60)

        def interrupt():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        # Far more work than the timer gives it time for.
        timer = threading.Timer(0.3, interrupt)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            hackle.render(shape, width=1600, height=900, samples=2048)
        waited = time.perf_counter() - sent[0]
        timer.join()
        print(f"render stopped {waited * 1e3:.0f} ms after Ctrl-C")
        self.assertLess(waited, 10)

    def test_own_signal_handlers_run_during_a_run(self):
        handled = []
        old = signal.signal(signal.SIGUSR1, lambda *_: handled.append(time.perf_counter()))
        try:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
            hackle_slow.run(0.4)
            end = time.perf_counter()
        finally:
            signal.signal(signal.SIGUSR1, old)
        self.assertEqual(len(handled), 1)
        self.assertLess(handled[0], end - 0.1)

    def test_interrupts_leave_no_threads(self):
        def count():
            return len(os.listdir("/proc/self/task"))

        hackle_slow.run(0.02)
        before = count()
        for _ in range(5):
            with self.assertRaises(ZeroDivisionError):
                hackle_slow.run(30, progress=lambda *_: 1 / 0)
        self.assertLess(count(), before + 5)  # the pool of worker threads may grow; one a run would be a leak

    def test_callback_may_call_hackle(self):
        inner = []
        hackle_slow.run(0.1, progress=lambda *_: inner.append(hackle.convert(hackle.Geometry())))
        self.assertTrue(inner)


class Warnings(unittest.TestCase):
    def test_warnings_come_out_at_the_callers_line(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            hackle_slow.run(0.01, warning="two faces were turned")
        self.assertEqual([str(w.message) for w in caught], ["two faces were turned"])
        self.assertIs(caught[0].category, hackle.Warning)
        self.assertEqual(os.path.basename(caught[0].filename), "test_running.py")

    def test_warnings_can_be_errors(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error", hackle.Warning)
            with self.assertRaises(hackle.Warning):
                hackle_slow.run(0.01, warning="two faces were turned")
            # A failure goes before a warning.
            with self.assertRaises(ZeroDivisionError):
                hackle_slow.run(30, warning="two faces were turned", progress=lambda *_: 1 / 0)


if __name__ == "__main__":
    unittest.main()
