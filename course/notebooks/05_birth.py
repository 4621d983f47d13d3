# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] nbgrader={"grade_id": "birth-01-title", "locked": true}
# # When is the pool born, how is it sized, what does it cost?
#
# A variable sets the size of Node's pool. You will set it so that it counts, set it so that it does not while everything looks
# right, and mend a program in which somebody else came first. You count threads, from outside. About 30 minutes; stop after any
# step.
#
# **Been here before?** Run `birth.skip()` below step 2, then do steps 18 to 20. If the program passes the first time `both` is
# measured, steps 5 to 17 count as done.

# %% [markdown] nbgrader={"grade_id": "birth-02-text", "locked": true}
# ## 2 · Ready?

# %% nbgrader={"grade_id": "birth-02-ready", "locked": true}
from course import lab

birth = lab("birth")

# %% [markdown] nbgrader={"grade_id": "birth-03-text", "locked": true}
# ## 3 · Warm up
#
# What do you remember of `waves`? Run the cell as it is: it asks with the numbers of your own record, where there is one. Nothing is
# earned here; you may go on without it.

# %% nbgrader={"grade_id": "birth-03-recall-waves", "solution": true}
birth.recall("waves", ...)

# %% [markdown] nbgrader={"grade_id": "birth-04-program", "locked": true}
# ## 4 · The program
#
# `look` is given: it stands still while we count the threads in `/proc`.
#
# ```js
# look('first line');
# fs.stat('.', () => {
#   look('after one job');
#   // ... many more fs.stat, and when all are back:
#   // look('after many');
# });
# ```
#
# A *job* is whatever is handed to the pool (in `gates`: a task). The pool's size is set outside, before Node starts:
# `UV_THREADPOOL_SIZE=...` in the environment.

# %% [markdown] nbgrader={"grade_id": "birth-05-text", "locked": true}
# ## 5 · Your first bet
#
# Run the cell as it is to see your numbers. We count only the pool's threads.

# %% nbgrader={"grade_id": "birth-05-predict-first", "solution": true}
birth.predict(
    "first",
    before=...,  # threads of the pool at the first line
    after=...,  # ... after one job
    more=...,  # ... after many
    sure=...,  # if you like: "guess", "think" or "bet"
)

# %% [markdown] nbgrader={"grade_id": "birth-06-text", "locked": true}
# ## 6 · Look

# %% nbgrader={"grade_id": "birth-06-measure-first", "locked": true}
birth.measure("first")

# %% [markdown] nbgrader={"grade_id": "birth-07-text", "locked": true}
# ## 7 · How we know
#
# **Aylin** had expected the pool to be there from the start. She reads her table:
#
# > The workers have a name of their own (since Node 22.17 and 24.0). At my first line there was none by that name, only
# > Node's own threads. My one `fs.stat` needs one worker. Still all of them are there, waiting in `futex`: they were made
# > together, when the first job came, whether there was work for them or not.

# %% nbgrader={"grade_id": "birth-07-evidence", "locked": true}
birth.evidence("first")

# %% [markdown] nbgrader={"grade_id": "birth-08-text", "locked": true}
# ## 8 · Your second bet
#
# Now the variable is set by a line of the program itself, in four places. Run the cell as it is to see them.

# %% nbgrader={"grade_id": "birth-08-predict-line", "solution": true}
birth.predict(
    "line",
    first=...,  # threads, if it is the first line
    late=...,  # ... in a file's callback
    quick=...,  # ... after quick.cjs, which takes its random bytes at once
    token=...,  # ... after token.cjs, which has its random bytes called back
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "birth-09-text", "locked": true}
# ## 9 · Look again
#
# The second line of the answer is what `process.env` shows in each program, afterwards.

# %% nbgrader={"grade_id": "birth-09-measure-line", "locked": true}
birth.measure("line")

# %% [markdown] nbgrader={"grade_id": "birth-10-text", "locked": true}
# ## 10 · Why?
#
# Two records, five sentences. Run the cell to see them, then put the letter of the one that fits both in place of `...`.

# %% nbgrader={"grade_id": "birth-10-explain-why", "solution": true}
birth.explain("why", ...)

# %% nbgrader={"grade_id": "birth-why", "grade": true, "locked": true}
birth.check("why")

# %% [markdown] nbgrader={"grade_id": "birth-11-text", "locked": true}
# ## 11 · In five lines
#
# Once the question is settled, the law stands below it, with its place in libuv and in Node. Here are your records as a picture.

# %% nbgrader={"grade_id": "birth-11-plot", "locked": true}
birth.plot()

# %% [markdown] nbgrader={"grade_id": "birth-12-text", "locked": true}
# ## 12 · Your third bet
#
# Variables are text, and people write all sorts of things into them. These are four, each set outside, in time.

# %% nbgrader={"grade_id": "birth-12-predict-value", "solution": true}
birth.predict(
    "value",
    word=...,  # threads for the word
    tail=...,  # ... for the number with something behind it
    power=...,  # ... for the number with an e
    minus=...,  # ... for -1
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "birth-13-text", "locked": true}
# ## 13 · Odd values

# %% nbgrader={"grade_id": "birth-13-measure-value", "locked": true}
birth.measure("value")

# %% [markdown] nbgrader={"grade_id": "birth-14-text", "locked": true}
# ## 14 · Your fourth bet
#
# What does a large pool cost while it does nothing? Three bills: addresses (what `ps` calls VSZ), memory of its own (RSS;
# the kernel's stacks are not in it), and open descriptors.

# %% nbgrader={"grade_id": "birth-14-predict-bill", "solution": true}
birth.predict(
    "bill",
    each=...,  # MiB of address space for one thread, a whole number
    used=...,  # how much of that is in memory: "none" (or nearly), "half" or "all"
    files=...,  # descriptors more, for all threads together
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "birth-15-text", "locked": true}
# ## 15 · The bill

# %% nbgrader={"grade_id": "birth-15-measure-bill", "locked": true}
birth.measure("bill")

# %% [markdown] nbgrader={"grade_id": "birth-16-text", "locked": true}
# ## 16 · Your last bet
#
# And how does a pool end? One thread, a long line of jobs, and a program that wants to leave.

# %% nbgrader={"grade_id": "birth-16-predict-exit", "solution": true}
birth.predict(
    "exit",
    made=...,  # folders that stand there when the process is gone
    back=...,  # callbacks that ran
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "birth-17-text", "locked": true}
# ## 17 · The end
#
# We count the folders ourselves, when the process is gone. The five bets earn 2 points together, whatever you bet.

# %% nbgrader={"grade_id": "birth-17-measure-exit", "locked": true}
birth.measure("exit")

# %% nbgrader={"grade_id": "birth-bets", "grade": true, "locked": true}
birth.check("bets")

# %% [markdown] nbgrader={"grade_id": "birth-18-text", "locked": true}
# ## 18 · A program to mend
#
# It prints a number, and its pool has another. `token.cjs` is the module you know; the service needs it. Run the cell as it
# is to read your own two numbers: the size that is wanted where nobody has set one outside, and the one an operator may set,
# who is to have the last word.
#
# `ready()` is given: call it when an answer of the pool is there; then we count.

# %% nbgrader={"grade_id": "birth-18-script", "solution": true} language="node" magic_args="birth"
# const token = require('./token.cjs');
# process.env.UV_THREADPOOL_SIZE = '16';
# console.log('pool:', process.env.UV_THREADPOOL_SIZE);
#
# fs.stat('.', () => ready());

# %% [markdown] nbgrader={"grade_id": "birth-19-text", "locked": true}
# ## 19 · Nothing set outside
#
# It earns 2 points. Try as often as you like: change the cell above, run it, then this one. `birth.hint("unset")` helps.

# %% nbgrader={"grade_id": "birth-19-measure-unset", "locked": true}
birth.measure("unset")

# %% nbgrader={"grade_id": "birth-unset", "grade": true, "locked": true}
birth.check("unset")

# %% [markdown] nbgrader={"grade_id": "birth-20-text", "locked": true}
# ## 20 · The operator's word
#
# The same program, run twice: with nothing set, and with the operator's size in its environment. For 2.5 points.

# %% nbgrader={"grade_id": "birth-20-measure-both", "locked": true}
birth.measure("both")

# %% nbgrader={"grade_id": "birth-both", "grade": true, "locked": true}
birth.check("both")

# %% [markdown] nbgrader={"grade_id": "birth-21-text", "locked": true}
# ## 21 · What cannot be

# %% nbgrader={"grade_id": "birth-21-explain-cannot", "solution": true}
birth.explain("cannot", ...)

# %% nbgrader={"grade_id": "birth-cannot", "grade": true, "locked": true}
birth.check("cannot")

# %% [markdown] nbgrader={"grade_id": "birth-22-text", "locked": true}
# ## 22 · A machine's code
#
# Review it before it goes out. Run the cell as it is to read it.

# %% nbgrader={"grade_id": "birth-22-explain-service", "solution": true}
birth.explain(
    "service",
    threads=...,  # how many threads has the pool?
    fix=...,  # what makes it the size that is meant? one letter
)

# %% nbgrader={"grade_id": "birth-service", "grade": true, "locked": true}
birth.check("service")

# %% [markdown] nbgrader={"grade_id": "birth-23-text", "locked": true}
# ## 23 · Leave

# %% nbgrader={"grade_id": "birth-23-check", "locked": true}
birth.check()

# %% [markdown] nbgrader={"grade_id": "birth-further", "locked": true}
# ## Further, without points
#
# In cells of your own:
#
# - `birth.measure("ways")`: all the ways to set the size, by module format, from a Worker, from a file, in a child; the first line
#   also on an older Node (`FOURTHREADS_OLDER_NODE` names one; else a recorded run). (About 15 s.)
# - `birth.measure("odd")`: twelve values, and what C makes of them.
# - `birth.measure("sizes")`: the bill for 4, 8, 128 and 1,024 threads.
# - `birth.measure("limit")`: 1,024 stacks where address space is short.
# - `birth.recall(...)`: from memory.
#
# Where to set it for a service: `Environment=UV_THREADPOOL_SIZE=8` in its systemd unit, `env` in a process manager's file (which may
# keep the old environment until it is told to update it), `ENV` in an image. Each of them reaches child processes too.
# Windows, by libuv's source (not measured here): before libuv 1.52 a line in the program did not reach the pool; set outside it does.
