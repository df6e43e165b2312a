"""The module against the program that DISKWRIGHT names, in the repository's root. Needs the standard library only."""

import os
import tempfile
import unittest
from pathlib import Path

import diskwright

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


class Verbs(unittest.TestCase):
    def test_a_plan_is_typed_and_the_cheapest_comes_first(self):
        answer = diskwright.plan(EXAMPLES / "tpcc-5000.toml", exclude=["gp2"], top=3)
        self.assertFalse(answer.is_negative)
        prices = [plan.monthly_usd for plan in answer.plans]
        self.assertEqual(prices, sorted(prices))
        self.assertEqual(len(prices), 3)
        best = answer.plans[0]
        self.assertAlmostEqual(best.usd.total, best.monthly_usd, places=6)
        self.assertGreater(best.predicted.throughput, 0)
        self.assertIn(best.bottleneck, best.utilisation)
        self.assertEqual(best.deployment, answer.document["plans"][0]["deployment"])

    def test_options_reach_the_program(self):
        answer = diskwright.plan(EXAMPLES / "tpcc-5000.toml", pin=["instance=m5.4xlarge"], as_of="2020-11")
        self.assertTrue(all(p.deployment["nodes"][0]["instance"] == "m5.4xlarge" for p in answer.plans))

    def test_an_answer_that_is_no_is_no_exception(self):
        answer = diskwright.plan(EXAMPLES / "tpcc-5000.toml", max_usd=100)
        self.assertTrue(answer.is_negative)
        self.assertEqual(answer.plans, [])
        self.assertIsNotNone(answer.closest)
        self.assertTrue(answer.shortfalls)

    def test_a_workload_of_intervals_has_its_uncertainty(self):
        answer = diskwright.plan(EXAMPLES / "mix.toml", futures=10)
        self.assertEqual(answer.uncertainty.futures, 10)
        self.assertEqual(len(answer.uncertainty.odds_of_missing), len(answer.plans))

    def test_a_deployment_is_checked_from_a_file_or_from_text(self):
        path = EXAMPLES / "undeliverable.toml"
        answer = diskwright.check(path)
        self.assertFalse(answer.deliverable)
        self.assertIn("volume-throughput", [use.limit for use in answer.violations])
        self.assertEqual(answer.document, diskwright.check(diskwright.Toml(path.read_text())).document)

    def test_a_simulation_has_its_latencies_and_the_same_seed_gives_the_same(self):
        files = EXAMPLES / "tpcc-5000-m5.4xlarge.toml", EXAMPLES / "tpcc-5000.toml"
        with tempfile.TemporaryDirectory() as folder:
            run = diskwright.simulate(*files, duration="2s", seed=7, out=folder)
            self.assertLess(run.latency_ms.p50, run.latency_ms.p99)
            self.assertTrue(run.timeline().path.is_file())
        again = diskwright.simulate(*files, duration="2s", seed=7)
        self.assertEqual(again.throughput, run.throughput)
        with self.assertRaises(ValueError):
            again.timeline()

    def test_a_diagnosis_has_verdicts_with_evidence(self):
        answer = diskwright.diagnose(
            "iostat", EXAMPLES / "tikv-node-iostat.txt", interval="1s", disk=["sdb=gp3:500GiB"]
        )
        self.assertTrue(answer.is_negative)
        self.assertTrue(all(verdict.says and verdict.end > verdict.start for verdict in answer.verdicts))

    def test_the_version_tells_the_age_of_the_catalogue(self):
        self.assertIsInstance(diskwright.version()["catalogue_age_days"], int)


class Errors(unittest.TestCase):
    def test_wrong_input_names_file_and_line(self):
        with self.assertRaises(diskwright.InputError) as caught:
            diskwright.plan(diskwright.Toml('name = "x"\nregion = 7\n'))
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn(":2:", caught.exception.message)

    def test_an_unknown_option_is_wrong_input(self):
        with self.assertRaises(diskwright.InputError) as caught:
            diskwright.check(EXAMPLES / "undeliverable.toml", colour_of_disk="red")
        self.assertIn("--colour-of-disk", caught.exception.message)

    def test_a_folder_that_cannot_be_made_is_the_environments_failure(self):
        with self.assertRaises(diskwright.EnvironmentFailure) as caught:
            diskwright.plan(EXAMPLES / "tpcc-5000.toml", out="/dev/null/plans")
        self.assertEqual(caught.exception.exit_code, 3)

    def test_a_missing_program_is_told(self):
        named = os.environ["DISKWRIGHT"]
        os.environ["DISKWRIGHT"] = "/nowhere/diskwright"
        try:
            with self.assertRaises(diskwright.EnvironmentFailure):
                diskwright.version()
        finally:
            os.environ["DISKWRIGHT"] = named

    def test_a_missing_timeline_is_told(self):
        with self.assertRaises(FileNotFoundError):
            diskwright.read_timeline("/nowhere/run.parquet")


if __name__ == "__main__":
    unittest.main()
