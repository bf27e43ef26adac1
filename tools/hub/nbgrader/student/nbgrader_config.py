"""nbgrader for a student of a hub: the course's assignments, and who hands in."""

import os

c = get_config()  # noqa: F821 - nbgrader puts it there

c.CourseDirectory.course_id = os.environ["LAB_COURSE_NAME"]
c.Exchange.root = os.environ["LAB_EXCHANGE"]
if name := os.environ.get("LAB_STUDENT_ID"):
    c.CourseDirectory.student_id = name
