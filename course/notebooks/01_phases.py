# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] nbgrader={"grade_id": "phases-01-title", "locked": true}
# # In which order do callbacks run?
#
# You ask Node for four things at once, and it calls you back four times. In which order? You bet, then Node's own trace
# shows who ran when. By the end you bring about orders of your own, and none of them by luck. About 30 minutes; stop after
# any step.
#
# **Been here before?** Run `phases.skip()` below step 2, then do steps 18 and 20. If part B works the first time it is
# measured, steps 5 to 17 count as done.

# %% [markdown] nbgrader={"grade_id": "phases-02-text", "locked": true}
# ## 2 · Ready?

# %% nbgrader={"grade_id": "phases-02-ready", "locked": true}
from course import lab

phases = lab("phases")

# %% [markdown] nbgrader={"grade_id": "phases-03-text", "locked": true}
# ## 3 · Warm up
#
# What do you remember of `gates`? Run the cell as it is to read a question, in the numbers of your own record if there is one.
# Nothing is earned here; you may go on without it.

# %% nbgrader={"grade_id": "phases-03-recall-gates", "solution": true}
phases.recall("gates", ...)

# %% [markdown] nbgrader={"grade_id": "phases-04-program", "locked": true}
# ## 4 · The program
#
# `log` and `busy` are given: one says a name, the other computes for some milliseconds.
#
# ```js
# fs.stat('.', () => {
#   process.nextTick(() => log('tick'));
#   Promise.resolve().then(() => log('promise'));
#   setTimeout(() => log('timeout'), 0);
#   setImmediate(() => log('immediate'));
#   busy(3);
# });
# ```
#
# After three milliseconds of work the timer is due: whatever order comes out, no luck is in it. Your lines stand in an order
# of their own.

# %% [markdown] nbgrader={"grade_id": "phases-05-text", "locked": true}
# ## 5 · Your first bet
#
# Run the cell as it is to see your program. Then type two orders, such as `"timeout tick immediate promise"`: one for a file's
# callback, and one for the same lines inside a timer's.

# %% nbgrader={"grade_id": "phases-05-predict-four", "solution": true}
phases.predict(
    "four",
    file=...,  # the four, in order, when a file's callback asks for them
    timer=...,  # ... and when a timer's callback does
    sure=...,  # if you like: "guess", "think" or "bet"
)

# %% [markdown] nbgrader={"grade_id": "phases-06-text", "locked": true}
# ## 6 · Look

# %% nbgrader={"grade_id": "phases-06-measure-four", "locked": true}
phases.measure("four")

# %% [markdown] nbgrader={"grade_id": "phases-07-text", "locked": true}
# ## 7 · How we know
#
# The words in brackets are phases: places where the loop stops by on its round. **Jonas** had put the timeout before the
# immediate. He reads his table downwards:
#
# > All four were asked for in the same callback, it has one number. Tick and promise ran in *poll*, where that callback was:
# > the loop had not moved yet. Then *check*, with the immediate. Then *timers*. My timer was due all along. It was not late:
# > the loop came by later.

# %% nbgrader={"grade_id": "phases-07-evidence", "locked": true}
phases.evidence("four")

# %% [markdown] nbgrader={"grade_id": "phases-08-text", "locked": true}
# ## 8 · Your second bet
#
# Other callbacks, elsewhere on the round: that of an immediate, and one that is called when something has been closed. Only
# two lines this time, and the timer is due again.

# %% nbgrader={"grade_id": "phases-08-predict-two", "solution": true}
phases.predict(
    "two",
    immediate=...,  # "timeout immediate" or "immediate timeout", asked for in an immediate's callback
    close=...,  # ... and in a close callback
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "phases-09-text", "locked": true}
# ## 9 · Look again

# %% nbgrader={"grade_id": "phases-09-measure-two", "locked": true}
phases.measure("two")

# %% [markdown] nbgrader={"grade_id": "phases-10-text", "locked": true}
# ## 10 · Your third bet
#
# Two callbacks of one kind, `A` and `B`. Each asks for a tick when it runs, `tickA` and `tickB`. A fifth, `C`, is of another
# kind. Run the cell as it is to see which.

# %% nbgrader={"grade_id": "phases-10-predict-between", "solution": true}
phases.predict(
    "between",
    order=...,  # A, tickA, B, tickB and C in your order
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "phases-11-text", "locked": true}
# ## 11 · Between two callbacks

# %% nbgrader={"grade_id": "phases-11-measure-between", "locked": true}
phases.measure("between")

# %% [markdown] nbgrader={"grade_id": "phases-12-text", "locked": true}
# ## 12 · Why?
#
# Three records, five sentences. Run the cell to see them, then put the letter of the one that fits all three in place of `...`.

# %% nbgrader={"grade_id": "phases-12-explain-why", "solution": true}
phases.explain("why", ...)

# %% nbgrader={"grade_id": "phases-why", "grade": true, "locked": true}
phases.check("why")

# %% [markdown] nbgrader={"grade_id": "phases-13-text", "locked": true}
# ## 13 · In five lines
#
# Once the question is settled, the law stands below it, with its place in libuv and in Node. Here are your records as a picture:
# a lane is a phase, a column a callback. Dashed boxes have no phase of their own.

# %% nbgrader={"grade_id": "phases-13-plot", "locked": true}
phases.plot()

# %% [markdown] nbgrader={"grade_id": "phases-14-text", "locked": true}
# ## 14 · Your fourth bet
#
# Use the law where it is less at home: no callback at all, only a file that Node starts with. Does its format matter?

# %% nbgrader={"grade_id": "phases-14-predict-modules", "solution": true}
phases.predict(
    "modules",
    cjs=...,  # "tick promise" or "promise tick", as a CommonJS file
    mjs=...,  # ... and as an ES module
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "phases-15-text", "locked": true}
# ## 15 · Two formats

# %% nbgrader={"grade_id": "phases-15-measure-modules", "locked": true}
phases.measure("modules")

# %% [markdown] nbgrader={"grade_id": "phases-16-text", "locked": true}
# ## 16 · Your last bet
#
# Something asks for itself again each time it runs. Meanwhile somebody waits for a file. Who keeps it waiting to the end?

# %% nbgrader={"grade_id": "phases-16-predict-starve", "solution": true}
phases.predict(
    "starve",
    which=...,  # which of the four keep the file waiting to the end? or "none"
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "phases-17-text", "locked": true}
# ## 17 · Who starves whom
#
# The five bets earn 2 points together, whatever you bet.

# %% nbgrader={"grade_id": "phases-17-measure-starve", "locked": true}
phases.measure("starve")

# %% nbgrader={"grade_id": "phases-bets", "grade": true, "locked": true}
phases.check("bets")

# %% [markdown] nbgrader={"grade_id": "phases-18-text", "locked": true}
# ## 18 · Two orders of your own
#
# Now you choose the place. In each part *one* callback asks for all four, and they must come in the order you are given: run
# the cell as it is to read your two orders. `fs`, `log` and `busy` are there; the file is an ES module.
#
# Luck does not count: each part is run as it is, and at two other paces: as if 3 ms passed after each `setTimeout`, and as if
# the machine were twice as quick. Running the cell tries both parts out, without showing the order.

# %% nbgrader={"grade_id": "phases-18-script", "solution": true} language="node" magic_args="phases"
# part('A', () => {
#   // your lines here
# });
# part('B', () => {
#   // your lines here
# });

# %% [markdown] nbgrader={"grade_id": "phases-19-text", "locked": true}
# ## 19 · Part A
#
# It earns 2 points. Try as often as you like: change the cell above, run it, then this one. `phases.hint("A")` helps.

# %% nbgrader={"grade_id": "phases-19-measure-a", "locked": true}
phases.measure("A")

# %% nbgrader={"grade_id": "phases-part-a", "grade": true, "locked": true}
phases.check("part-a")

# %% [markdown] nbgrader={"grade_id": "phases-20-text", "locked": true}
# ## 20 · Part B
#
# Both pairs the other way round, for 2.5 points.

# %% nbgrader={"grade_id": "phases-20-measure-b", "locked": true}
phases.measure("B")

# %% nbgrader={"grade_id": "phases-part-b", "grade": true, "locked": true}
phases.check("part-b")

# %% [markdown] nbgrader={"grade_id": "phases-21-text", "locked": true}
# ## 21 · What cannot be
#
# Three orders. Two can be had from one callback somewhere, the third from none.

# %% nbgrader={"grade_id": "phases-21-explain-cannot", "solution": true}
phases.explain("cannot", ...)

# %% nbgrader={"grade_id": "phases-cannot", "grade": true, "locked": true}
phases.check("cannot")

# %% [markdown] nbgrader={"grade_id": "phases-22-text", "locked": true}
# ## 22 · A machine's code
#
# Review it before it goes out. Run the cell as it is to read it.

# %% nbgrader={"grade_id": "phases-22-explain-service", "solution": true}
phases.explain(
    "service",
    sent=...,  # how many messages have been sent when /health is answered?
    fix=...,  # what would let it in sooner? one letter
)

# %% nbgrader={"grade_id": "phases-service", "grade": true, "locked": true}
phases.check("service")

# %% [markdown] nbgrader={"grade_id": "phases-23-text", "locked": true}
# ## 23 · Leave

# %% nbgrader={"grade_id": "phases-23-check", "locked": true}
phases.check()

# %% [markdown] nbgrader={"grade_id": "phases-further", "locked": true}
# ## Further, without points
#
# In cells of your own:
#
# - `phases.measure("shares")`: the same programs without the three milliseconds, many times. Where an order varies from run to
#   run, texts that print one order are describing luck. (About 20 s.)
# - `phases.measure("formats")`: six ways to load a file, and whether the tick or the promise comes first.
# - `phases.measure("lines")`: libuv 1.45 moved the timers to the end of a turn. Here is the one thing of that which a program
#   can count, on this Node and, where one is at hand, on an older one (`FOURTHREADS_OLDER_NODE` names its program).
# - `phases.measure("idle")`: how often does the loop turn when nothing happens? What does it cost to wait for a thousand sockets?
# - `phases.recall(...)`: from memory.
