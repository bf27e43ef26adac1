// On the small page of a verdict (lab/book/pages/verdict_pages.py), before anything is drawn: its reader goes on to the verdict.

location.replace(document.currentScript.dataset.to);
