# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] nbgrader={"grade_id": "waves-01-title", "locked": true}
# # What happens to hashes?
#
# In *gates* a request waited and cost nothing. A password hash computes from its first moment to its last. You will ask Node for a
# crowd of them, and find out who decides how long that takes. Count first, then compare times. About 30 minutes.
#
# **Been here before?** Run `waves.skip()` below step 2. If steps 12 to 14 work at the first try, steps 5 to 10 count as done.

# %% [markdown] nbgrader={"grade_id": "waves-02-text", "locked": true}
# ## 2 · Ready?
#
# The first time, this cell takes a few seconds: it finds out how much your cores get done together. Leave the machine alone
# meanwhile.

# %% nbgrader={"grade_id": "waves-02-ready", "locked": true}
from course import lab

waves = lab("waves")

# %% [markdown] nbgrader={"grade_id": "waves-03-text", "locked": true}
# ## 3 · Warm up
#
# What do you remember of `gates`? Run the cell as it is: it asks with the numbers of your own record, where there is one. Nothing is
# earned here; you may go on without it.

# %% nbgrader={"grade_id": "waves-03-recall-gates", "solution": true}
waves.recall("gates", ...)

# %% [markdown] nbgrader={"grade_id": "waves-04-text", "locked": true}
# ## 4 · Your line
#
# `pbkdf2` makes a slow hash of a password, in the pool, and then calls you back. The loop asks for `n` of them. `parameters.rounds`
# is how slow, and is chosen for your machine.
#
# One line is missing. Whoever measures must know when hash `i` is back: call `done(i)` there. Running the cell tries it with
# three short hashes. Your line, measured, earns 1.5 points.

# %% nbgrader={"grade_id": "waves-04-script", "solution": true} language="node" magic_args="waves"
# import { pbkdf2 } from 'node:crypto';
#
# for (let i = 1; i <= n; i++) {
#   pbkdf2('four', 'threads', parameters.rounds, 64, 'sha512', () => {
#     // your line here: hash i is back
#   });
# }

# %% [markdown] nbgrader={"grade_id": "waves-05-text", "locked": true}
# ## 5 · Your first bet
#
# Three numbers this time; together they say what you believe. Run the cell as it is to see the question in your numbers. Half a
# number is a number: `0.5`, `2`, `"same"`.

# %% nbgrader={"grade_id": "waves-05-predict-all-at-once", "solution": true}
waves.predict(
    "all at once",
    started=...,  # how many are being computed before the first one is back?
    times=...,  # how many times as long as one alone do all of them take?
    more=...,  # with more slots: how many times that total? 1 is the same, 0.5 half
    sure=...,  # if you like: "guess", "think" or "bet"
)

# %% [markdown] nbgrader={"grade_id": "waves-06-text", "locked": true}
# ## 6 · Look
#
# Both runs are watched and counted, then timed in pairs until the answer is clear. Less than a minute.

# %% nbgrader={"grade_id": "waves-06-measure-all-at-once", "locked": true}
waves.measure("all at once")

# %% nbgrader={"grade_id": "waves-line", "grade": true, "locked": true}
waves.check("line")

# %% [markdown] nbgrader={"grade_id": "waves-07-text", "locked": true}
# ## 7 · How we know
#
# The next cell draws both runs, a line a slot. **Jonas** has two cores and had bet that eight slots halve the total. He reads:
#
# > Four slots: one to four begin together, then five to eight. Eight slots: all begin together, and end late together. The last
# > one is back at the same time in both. And the workers' processor seconds are the same: the work did not shrink. Only "ready
# > without a core" grew. My four extra threads brought four more in front of two cores.

# %% nbgrader={"grade_id": "waves-07-evidence", "locked": true}
waves.evidence("all at once")

# %% [markdown] nbgrader={"grade_id": "waves-08-text", "locked": true}
# ## 8 · Your second bet
#
# The same hashes on another machine. You have none? Then Node gets fewer cores of yours, or fewer slots where you have but one
# core. Run the cell to see how many.

# %% nbgrader={"grade_id": "waves-08-predict-other-cores", "solution": true}
waves.predict(
    "other cores",
    started=...,  # how many are being computed before the first one is back?
    times=...,  # how many times as long as one alone do all of them take?
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "waves-09-text", "locked": true}
# ## 9 · Look again

# %% nbgrader={"grade_id": "waves-09-measure-other-cores", "locked": true}
waves.measure("other cores")

# %% [markdown] nbgrader={"grade_id": "waves-10-text", "locked": true}
# ## 10 · Why?
#
# Run the cell as it is to see four sentences. One fits both records. The first try earns 1.5 points, the second half of that.

# %% nbgrader={"grade_id": "waves-10-explain-why", "solution": true}
waves.explain("why", ...)

# %% nbgrader={"grade_id": "waves-why", "grade": true, "locked": true}
waves.check("why")

# %% [markdown] nbgrader={"grade_id": "waves-11-text", "locked": true}
# ## 11 · In five lines, and what if?
#
# When the question is settled, the law stands below it. Here is a machine you do not have: move the sliders, or call
# `waves.what_if(pool=8, tasks=8, cores=8)`. Where do the articles that print "2x" get their number, and why did you not?

# %% nbgrader={"grade_id": "waves-11-what-if", "locked": true}
waves.what_if()

# %% [markdown] nbgrader={"grade_id": "waves-12-text", "locked": true}
# ## 12 · Your script
#
# Now all of it is yours: ask for `n` hashes in one go, and report each when it is back. Callbacks as above, or promises
# (`promisify` from `node:util`), as you like. Running the cell tries it with three hashes. Measured in step 14, it earns 3 points.

# %% nbgrader={"grade_id": "waves-12-script", "solution": true} language="node" magic_args="waves"
# // Your script. You have: n, done(i), parameters.rounds; pbkdf2 comes from 'node:crypto'.

# %% [markdown] nbgrader={"grade_id": "waves-13-text", "locked": true}
# ## 13 · Your third bet
#
# Your own numbers, which your neighbour may not have. One blank is new: when does the first one in line get its slot?

# %% nbgrader={"grade_id": "waves-13-predict-own", "solution": true}
waves.predict(
    "own",
    started=...,  # how many are being computed before the first one is back?
    ended=...,  # how many must have ended before the first one in line starts?
    times=...,  # how many times as long as one alone do all of them take?
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "waves-14-text", "locked": true}
# ## 14 · Measure your script
#
# Its counts are judged first. The time is a second witness: where your machine cannot tell, its share moves to the counts.

# %% nbgrader={"grade_id": "waves-14-measure-own", "locked": true}
waves.measure("own")

# %% nbgrader={"grade_id": "waves-script", "grade": true, "locked": true}
waves.check("script")

# %% nbgrader={"grade_id": "waves-bets", "grade": true, "locked": true}
waves.check("bets")

# %% [markdown] nbgrader={"grade_id": "waves-15-text", "locked": true}
# ## 15 · Somebody else's code
#
# It looks right, it works, and it was written in a second. Run the cell to read it.

# %% nbgrader={"grade_id": "waves-15-explain-code", "solution": true}
waves.explain(
    "code",
    at_once=...,  # how many at a time?
    times=...,  # how many times one do all take?
    repair=...,  # one letter
)

# %% nbgrader={"grade_id": "waves-code", "grade": true, "locked": true}
waves.check("code")

# %% [markdown] nbgrader={"grade_id": "waves-16-text", "locked": true}
# ## 16 · On a service
#
# Monday, nine o'clock: everybody logs in. Run the cell to see how many.

# %% nbgrader={"grade_id": "waves-16-explain-service", "solution": true}
waves.explain(
    "service",
    last=...,  # after how many milliseconds is the last one done?
    after=...,  # what does the proposal do? one letter
)

# %% nbgrader={"grade_id": "waves-service", "grade": true, "locked": true}
waves.check("service")

# %% [markdown] nbgrader={"grade_id": "waves-17-text", "locked": true}
# ## 17 · Leave
#
# Your card. What is still open says which step opens it.

# %% nbgrader={"grade_id": "waves-17-check", "locked": true}
waves.check()

# %% [markdown] nbgrader={"grade_id": "waves-further", "locked": true}
# ## Further, without points
#
# In cells of your own; nothing here needs a bet.
#
# - `waves.measure(pool=6, tasks=20)`: other sizes, also on one core with `cores=1`. `waves.plot()` draws your records.
# - `waves.measure("knee", work="waiting")`, then `"computing"`, then `"mixed"`: up to where does a larger pool help?
# - `waves.measure("gzip", kilobytes=1024)`: how often does one gzip stand in line?
# - `waves.measure("loop")`: what do hashes do to your JavaScript, beside 4 and beside 16 slots?
# - From memory: `waves.recall(...)`.
