"""The parts of `tools.grade`: who handed in what, the right results, the sandbox, the marks, the report.

Code of students runs in the sandbox alone (`answering`), which has neither right results nor solutions. What
comes out of it are numbers and texts, as JSON; they are judged outside.
"""
