"""The plugin that counts processor time puts a process back into the group that it came from."""

from tests.cpu_seconds import own_group


def test_the_own_group_is_that_of_the_accounts_or_the_topmost(tmp_path):
    accounts, groups = tmp_path / "cpuacct", tmp_path / "cgroup"
    (accounts / "user" / "me").mkdir(parents=True)
    for text, processes in [
        ("12:memory:/other\n4:cpu,cpuacct:/user/me\n", accounts / "user" / "me"),
        ("4:cpu,cpuacct:/\n", accounts),
        ("4:cpu,cpuacct:/not/seen/here\n", accounts),
        ("0::/user/me\n", accounts),
    ]:
        groups.write_text(text)
        assert own_group(groups, accounts) == processes
