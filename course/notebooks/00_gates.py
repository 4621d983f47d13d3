# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] nbgrader={"grade_id": "gates-01-title", "locked": true}
# # How many things run at once, and which is next?
#
# You will ask Node for a dozen things or more that cannot end before you let them end. Then you let them go one by one and watch
# who moves up. There is no stopwatch here: you count. It takes about 25 minutes, and you can stop after any step.
#
# **Been here before?** Run `gates.skip()` in a new cell below step 2. If you solve step 14 at the first try, steps 3 to 10
# count as done.

# %% [markdown] nbgrader={"grade_id": "gates-02-text", "locked": true}
# ## 2 · Ready?
#
# Run this cell (Shift+Enter). It says which Node you have and where you left off.

# %% nbgrader={"grade_id": "gates-02-ready", "locked": true}
from course import lab

gates = lab("gates")

# %% [markdown] nbgrader={"grade_id": "gates-03-program", "locked": true}
# ## 3 · The program
#
# This is all of it. `gate(i)` names a FIFO: a file whose `open` does not come back until somebody opens its other end. While
# it waits it uses no CPU.
#
# ```js
# for (let i = 1; i <= n; i++) {
#   fs.open(gate(i), 'r', () => done(i));
# }
# ```
#
# The loop only *asks*, so it is through at once. All requests are out, and all gates are shut.

# %% [markdown] nbgrader={"grade_id": "gates-04-text", "locked": true}
# ## 4 · Your first bet
#
# Which of the requests are being worked on at this moment? Put your number in place of the first `...`, and if you like how
# sure you are in place of the second. Run the cell as it is to see the question in your numbers.

# %% nbgrader={"grade_id": "gates-04-predict-start", "solution": true}
gates.predict(
    "start",
    held=...,  # how many of the requests does Node have in its hands right now, inside a thread?
    sure=...,  # if you like: "guess", "think" or "bet"
)

# %% [markdown] nbgrader={"grade_id": "gates-05-text", "locked": true}
# ## 5 · Look

# %% nbgrader={"grade_id": "gates-05-measure-start", "locked": true}
gates.measure("start")

# %% [markdown] nbgrader={"grade_id": "gates-06-text", "locked": true}
# ## 6 · How we know
#
# The next cell prints what the number was counted from: a line for each thread. **Mira** had bet on twelve. She reads hers from
# the bottom up; do the same with yours.
#
# > My main thread has nothing to do, so my JavaScript keeps nobody waiting. Above it, four workers are in `openat`, one at
# > each of the gates 1 to 4. A line with gate 5? There is none: nobody has made that call yet. Four requests run, then, and
# > eight stand in a line that this table does not show. With "twelve" I had counted my wishes.

# %% nbgrader={"grade_id": "gates-06-evidence", "locked": true}
gates.evidence("start")

# %% [markdown] nbgrader={"grade_id": "gates-07-text", "locked": true}
# ## 7 · Your second bet
#
# Now the size of the pool is set, to a number that your neighbour may not have. All gates are shut again, and then **one**
# of them is opened, so that one task ends. Run the cell as it is: it prints your numbers.

# %% nbgrader={"grade_id": "gates-07-predict-one-gate", "solution": true}
gates.predict(
    "one gate",
    held=...,  # slots held before the gate is opened
    starts=...,  # which task or tasks start because of it? a list; [] if none
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "gates-08-text", "locked": true}
# ## 8 · Open the gate

# %% nbgrader={"grade_id": "gates-08-measure-one-gate", "locked": true}
gates.measure("one gate")

# %% [markdown] nbgrader={"grade_id": "gates-09-text", "locked": true}
# ## 9 · Why?
#
# You have two records now. Run the cell as it is to see five sentences; one of them fits both records. Put its letter in place
# of `...`. The first try earns 1.5 points, the second half of that.

# %% nbgrader={"grade_id": "gates-09-explain-why", "solution": true}
gates.explain("why", ...)

# %% nbgrader={"grade_id": "gates-why", "grade": true, "locked": true}
gates.check("why")

# %% [markdown] nbgrader={"grade_id": "gates-10-text", "locked": true}
# ## 10 · In five lines
#
# When the question above is settled, the law stands below it in five lines, with the place in libuv where it is written. Here is
# your own evidence for it, drawn: a lane is a slot, a column is an opening.

# %% nbgrader={"grade_id": "gates-10-plot", "locked": true}
gates.plot()

# %% [markdown] nbgrader={"grade_id": "gates-11-text", "locked": true}
# ## 11 · Your line
#
# Now somebody wants a file that has nothing to do with your gates. Does that request suffer? Write one line where the comment is:
# ask for the state of the folder `'.'` with `fs.stat`, and call `done('stat')` when the answer is there. Running the cell
# tries it out with three gates.

# %% nbgrader={"grade_id": "gates-11-script", "solution": true} language="node" magic_args="gates"
# for (let i = 1; i <= n; i++) {
#   fs.open(gate(i), 'r', () => done(i));
# }
# // your line here

# %% [markdown] nbgrader={"grade_id": "gates-12-text", "locked": true}
# ## 12 · Your third bet
#
# Your slots, your gates, and then your stat. The gates are opened one by one, each time one that is held.

# %% nbgrader={"grade_id": "gates-12-predict-canary", "solution": true}
gates.predict(
    "canary",
    openings=...,  # how many gates must be opened before the stat comes back?
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "gates-13-text", "locked": true}
# ## 13 · Measure your script
#
# A script of your own that asks behind the gates and reports earns 2 points, the three bets together 2 more, whatever you bet.

# %% nbgrader={"grade_id": "gates-13-measure-canary", "locked": true}
gates.measure("canary")

# %% nbgrader={"grade_id": "gates-own-script", "grade": true, "locked": true}
gates.check("own-script")

# %% nbgrader={"grade_id": "gates-bets", "grade": true, "locked": true}
gates.check("bets")

# %% [markdown] nbgrader={"grade_id": "gates-14-text", "locked": true}
# ## 14 · Bring it about
#
# Turn it round: here is what the slots shall hold when all is quiet; which gates do you open, and in which order? Run the cell as
# it is to see your target, plan it on paper if you like, and then put your list in place of `[...]`.
#
# Try as often as you want: each attempt starts from shut gates and costs nothing. `gates.hint("state")` helps. Reaching it earns
# 2.5 points.

# %% nbgrader={"grade_id": "gates-14-measure-state", "solution": true}
gates.measure("state", open=[...])

# %% nbgrader={"grade_id": "gates-state", "grade": true, "locked": true}
gates.check("state")

# %% [markdown] nbgrader={"grade_id": "gates-15-text", "locked": true}
# ## 15 · What cannot be
#
# Three states. Two of them can be brought about with the right openings, one never can. Which?

# %% nbgrader={"grade_id": "gates-15-explain-cannot", "solution": true}
gates.explain("cannot", ...)

# %% nbgrader={"grade_id": "gates-cannot", "grade": true, "locked": true}
gates.check("cannot")

# %% [markdown] nbgrader={"grade_id": "gates-16-text", "locked": true}
# ## 16 · On a service
#
# Somebody calls you about a service. Run the cell as it is to hear what happens there.

# %% nbgrader={"grade_id": "gates-16-explain-service", "solution": true}
gates.explain(
    "service",
    hour=...,  # when does it stop?
    after=...,  # what will the proposal do? one letter
)

# %% nbgrader={"grade_id": "gates-service", "grade": true, "locked": true}
gates.check("service")

# %% [markdown] nbgrader={"grade_id": "gates-17-text", "locked": true}
# ## 17 · Leave
#
# Your card. What is still open says which step opens it.

# %% nbgrader={"grade_id": "gates-17-check", "locked": true}
gates.check()

# %% [markdown] nbgrader={"grade_id": "gates-further", "locked": true}
# ## Further, without points
#
# Other sizes, for fun: `gates.measure(pool=7, tasks=20)` in a cell of your own. And from memory: `gates.recall(...)`.
