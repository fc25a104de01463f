#!/usr/bin/env python3
"""Run the tests of one or more build folders and count test cases.

    tools/run_tests.py build [build-sanitize ...]

Every test of `meson introspect --tests` runs with its output in the Test Anything Protocol (cmocka
does that when asked; scripts print it). The cases of the first folder are counted; the other folders
repeat them and can only add failures, tests that the first one leaves out (--skip-first) apart. A crash, an hour of CPU time, ten minutes in which a test and its
children used next to none (all of them wait, for each other), a plan that was not kept, or a bad exit status
without a failed case counts as one failed case. The last line is "N passed, N failed"; the
exit status is 0 only when something passed and nothing failed.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

CPU_SECONDS = 3600
IDLE_SECONDS = 600
IDLE_SHARE = 0.01  # of a processor: somebody who looks at a pipe ten times a second needs a tenth of it
TICK = os.sysconf("SC_CLK_TCK")
RESULT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:-\s*)?(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)\b")
Outcome = collections.namedtuple("Outcome", "name passed failed skipped times text")
Times = collections.namedtuple("Times", "begin end cpu")


def environment(test):
    """Of one test: ours, what its meson.build asks for, and strict sanitizers."""
    env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
    # by night: a fifth of all time, for what -Wreturn-local-addr and -Wdangling-pointer find as well
    env.setdefault("ASAN_OPTIONS", f"handle_sigill=1:detect_stack_use_after_return={int('TRAMMEL_NIGHTLY' in test['env'])}")
    env.setdefault("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")
    env.update(test["env"])
    return env


def read_tap(text):
    """-> names passed, failed, skipped, and how many were planned."""
    passed, failed, skipped, planned = [], [], [], 0
    for line in text.splitlines():
        plan, result = PLAN.match(line), RESULT.match(line)
        if plan:
            planned += int(plan[1])
        elif result:
            name = result[3].strip()
            if re.search(r"#\s*SKIP", name, re.IGNORECASE):
                skipped.append(name)
            else:
                (failed if result[1] else passed).append(name)
    return passed, failed, skipped, planned


def judge(test, status, text, times):
    """One outcome from the exit status and the output of a test."""
    passed, failed, skipped, planned = read_tap(text)
    seen = len(passed) + len(failed) + len(skipped)
    if status < 0 or status > 125:
        failed.append(f"crashed, status {status}")
    elif planned > seen:
        failed.append(f"only {seen} of {planned} cases ran")
    elif status != 0 and not failed:
        failed.append(f"exit status {status}")
    elif seen == 0:
        passed.append(test["name"])  # neither plan nor cases: the exit status is the test
    return Outcome(test["name"], passed, failed, skipped, times, text)


def limit_processor_time():
    """A loop without end is a failed case, on a busy machine as on an idle one."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def processes_of(session):
    """-> {process: seconds used by it and by the children that it has buried}."""
    seconds = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()  # from the third of proc(5) on
        except OSError:  # it has ended
            continue
        if int(fields[3]) == session:
            seconds[int(entry)] = sum(map(int, fields[11:15])) / TICK
    return seconds


def wait_for(process):
    """-> processor seconds, and whether it was idle: a session in which nothing moves any more is killed."""
    used, since, looked, idle = 0.0, time.monotonic(), time.monotonic(), False
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime, idle
        time.sleep(0.02)
        if time.monotonic() < looked + 5:
            continue
        looked, now = time.monotonic(), sum(processes_of(process.pid).values())
        if abs(now - used) > IDLE_SHARE * IDLE_SECONDS:
            used, since = now, looked
        elif looked - since > IDLE_SECONDS:
            idle = True
            for member in processes_of(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member, signal.SIGKILL)


def run(test):
    begin, cpu = time.monotonic(), 0.0  # s
    with tempfile.TemporaryFile() as output:
        try:
            cpu, idle = wait_for(process := subprocess.Popen(
                test["cmd"], env=environment(test), cwd=test["workdir"], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit_processor_time))
            status, more = process.returncode, "\nidle: every process of the test waits\n" if idle else ""
        except OSError as problem:  # not built
            status, more = 1, str(problem)
        output.seek(0)
        return judge(test, status, output.read().decode(errors="replace") + more, Times(begin, time.monotonic(), cpu))


def show(folder, outcome):
    counts = f"{len(outcome.passed)} passed"
    if outcome.failed:
        counts += f", {len(outcome.failed)} FAILED"
    if outcome.skipped:
        counts += f", {len(outcome.skipped)} skipped"
    print(f"  {folder}: {outcome.name:<28} {counts}  ({outcome.times.end - outcome.times.begin:.1f} s, {outcome.times.cpu:.1f} s of CPU)", flush=True)
    if outcome.failed:
        for name in outcome.failed:
            print(f"    FAILED {name}")
        for line in outcome.text.splitlines()[-60:]:
            if not line.startswith("ok "):
                print(f"      {line}")


def tests_of(folder, skip, only):
    """Of one folder, those of the suite `only`, without those of the suites `skip`."""
    text = subprocess.run(["meson", "introspect", "--tests", folder], check=True, stdout=subprocess.PIPE).stdout
    return [test for test in json.loads(text) if not any(suite.endswith(tuple(skip)) for suite in test["suite"])
            and (not only or any(suite.endswith(only) for suite in test["suite"]))]


def run_folders(folders, only, skip_first, skip_again):
    """-> the outcomes of each. One queue for all, the longest first, so that no processor waits for the last test; and a test more
    than there are processors, since some wait for a browser, a signal or a pipe."""
    outcomes = [[] for _ in folders]
    queue = [(test, i) for i, folder in enumerate(folders) for test in tests_of(folder, skip_again if i else skip_first, only)]
    queue.sort(key=lambda entry: -entry[0]["priority"])
    with concurrent.futures.ThreadPoolExecutor(max_workers=1 + (os.cpu_count() or 1)) as pool:
        pending = {pool.submit(run, test): i for test, i in queue}
        for future in concurrent.futures.as_completed(pending):
            i = pending[future]
            outcomes[i].append(future.result())
            show(folders[i], outcomes[i][-1])
    return outcomes


def tell_times(times):
    """What a run took, and how long at its end fewer tests than processors were left."""
    ends = sorted(t.end for t in times) or [0.0]
    print(f"{sum(t.cpu for t in times):.0f} s of CPU; the last {ends[-1] - ends[-min(os.cpu_count() or 1, len(ends))]:.0f} s on fewer processors than there are")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failed-builds", type=int, default=0, help="builds that failed before; each counts as a failed case")
    parser.add_argument("--suite", default="", help="only this one: unit, engine")
    parser.add_argument("--skip-first", default="", type=str.split, help="suites that do not run in the first folder where there are others: watched")
    parser.add_argument("--skip-again", default="once", type=str.split, help="suites that do not run in the further folders: once, whole")
    parser.add_argument("folders", nargs="*")
    args = parser.parse_args()

    passed, skipped, seen = 0, 0, set()
    failed = args.failed_builds
    of_folders = run_folders(args.folders, args.suite, args.skip_first if len(args.folders) > 1 else [], args.skip_again)
    tell_times([outcome.times for outcomes in of_folders for outcome in outcomes])
    for i, outcomes in enumerate(of_folders):
        failed += sum(len(o.failed) for o in outcomes)
        counted = [o for o in outcomes if o.name not in seen]
        seen.update(o.name for o in counted)
        passed += sum(len(o.passed) for o in counted)
        skipped += sum(len(o.skipped) for o in counted)
        if i > 0:
            print(f"  {sum(len(o.passed) for o in outcomes if o not in counted)} cases passed again")
    if args.failed_builds:
        print(f"{args.failed_builds} builds failed")
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
