"""What a page does for its reader: predictions that commit, numbers that can be asked."""

import html
import json
import re

import nbformat
import pytest

from live_figures.tests.browser.static_page import live_figures
from tools import site_claims, site_sources
from tools.course import NOTEBOOKS

PAGE = "00_start_here.html"
NEVER = "Always show answers at once"


def question(page, n):
    return page.locator("blockquote:has(strong:text-is('Predict.'))").nth(n)


def test_an_answer_is_chosen_before_anything_is_shown(open_page):
    page = open_page(PAGE, asks=True)
    form = page.locator("form.prediction").first
    after = page.locator(".prediction-veil").first
    shown = page.locator("text=comes out full of creature").first
    assert form.locator("label").all_inner_texts() == [
        "To itself.",
        "To the dog.",
        "To the man.",
    ]
    assert not shown.is_visible() and not page.locator("text=It does the biting").is_visible()
    form.get_by_label("To the dog").check()
    assert not shown.is_visible()  # a mark is not yet an answer
    asked = "it => document.getElementById(it.getAttribute('aria-labelledby')).textContent"
    assert form.locator("fieldset").evaluate(asked).strip().startswith("Predict. To which of the three")
    form.locator("text=This is my answer").click()
    assert page.locator("text=It does the biting").is_visible() and not form.is_visible()
    assert not shown.is_visible()  # it would say which is right
    see = page.get_by_role("button", name="See what happens")
    see.click()
    assert shown.is_visible() and not see.count()
    assert page.evaluate("document.activeElement.closest('.prediction-veil')")
    page.locator("text=Try again").first.click()
    assert (
        not shown.is_visible() and form.locator(".prediction-rest").is_visible()
    )  # it would say which is right
    assert not form.locator("input:checked").count()  # a wrong one is not chosen again
    assert form.locator("input").first.evaluate("input => input === document.activeElement")
    form.get_by_label("To the man").check()
    form.locator("text=This is my answer").click()
    assert page.locator(".prediction-result").first.inner_text() == "Yes, that is right."
    mark = "answer => getComputedStyle(answer.querySelector('summary'), '::after').content"
    assert "✓" in page.locator("details.prediction-chosen").evaluate(mark)
    assert page.locator("summary:text('To itself')").first.is_visible() and after.is_visible()
    assert not page.locator("text=Try again >> visible=true").count()  # nothing is left to try


def test_after_a_wrong_answer_the_right_one_waits_until_it_is_chosen_or_asked_for(open_page):
    page = open_page(PAGE, asks=True)
    form, result = page.locator("form.prediction").first, page.locator(".prediction-result").first
    shown = page.locator("text=comes out full of creature").first
    buttons = page.locator(".prediction-buttons:not(form *) button:visible")
    form.get_by_label("To the dog").check()
    form.locator("text=This is my answer").click()
    assert page.locator("text=It does the biting").is_visible()
    assert result.inner_text() == "No, that is not right."
    assert buttons.all_inner_texts() == ["Try again", "See what happens", "Show the answer"]
    assert not shown.is_visible() and not page.locator(".prediction-right").count()
    assert not page.locator("summary:text('To the man.')").first.is_visible()
    page.reload()
    assert result.inner_text() == "No, that is not right."
    buttons.get_by_text("Show the answer").press("Enter")
    told = result.inner_text().replace("\xa0", " ").split("\n")
    assert [line for line in told if line] == [
        "No. The right answer: “To the man.”",
        "The query (1, 0) times his key (2, 0) is 2, the largest product of the three.",
    ]
    assert result.evaluate("result => result === document.activeElement")  # the button is gone
    assert not page.locator(".prediction-result a").count()  # a link of the answer stands in the answer
    assert buttons.all_inner_texts() == ["Ask me again", "All answers"]
    buttons.get_by_text("Ask me again").click()
    assert not shown.is_visible() and not page.locator(".prediction-right").count()


def test_what_you_saw_waits_for_the_predictions_of_the_path(open_page):
    page = open_page(PAGE, asks=True)
    summed, told = page.locator("#what-you-saw li").first, page.locator("#what-you-saw > .prediction-before")
    forms = page.locator("form.prediction")
    waits = "What you saw waits for {} of 4 predictions above. Show it"
    assert not summed.is_visible() and told.inner_text() == waits.format(4)
    forms.nth(0).get_by_text("Go on without").click()
    forms.nth(1).get_by_label("None of the five").check()
    forms.nth(1).get_by_text("This is my answer").click()  # a wrong one
    assert told.inner_text() == waits.format(2)
    told.locator("a").click()
    assert 50 < question(page, 2).bounding_box()["y"] < 200
    assert not summed.is_visible()
    page.emulate_media(media="print")
    assert summed.is_visible() and not told.is_visible()
    page.emulate_media(media="screen")
    for n in (2, 3):
        assert not summed.is_visible()
        forms.nth(n).get_by_text("Go on without").click()
    assert summed.is_visible() and not told.is_visible()
    page.locator("text=Ask me first >> visible=true").first.click()
    assert not summed.is_visible() and told.inner_text() == waits.format(1)


def test_who_wants_what_you_saw_sees_it_at_once(open_page):
    page = open_page(PAGE, asks=True)
    summed, button = page.locator("#what-you-saw li").first, page.get_by_role("button", name="Show it")
    button.press("Enter")
    assert summed.is_visible() and not button.is_visible()
    assert page.evaluate("document.activeElement.matches('#what-you-saw ul')")  # the button is gone
    assert page.locator("form.prediction").first.is_visible()  # nothing else
    page.reload()
    assert not summed.is_visible()
    page.click("#pst-page-toc-nav a[href='#what-you-saw']")
    page.wait_for_function("!document.querySelector('#what-you-saw > [hidden]')")
    assert summed.is_visible()
    page.wait_for_selector("#pst-page-toc-nav a.active[href='#what-you-saw']")
    for name in (f"{PAGE}?open#what-you-saw", PAGE):
        other = open_page(name, asks=name != PAGE)
        assert other.locator("#what-you-saw li").first.is_visible()
    plain = open_page(PAGE, asks=True, java_script_enabled=False)
    assert plain.locator("#what-you-saw li").first.is_visible()


def test_a_line_says_where_the_text_waits_for_the_answer(open_page):
    """Else the section seems to end at its question."""
    page = open_page(PAGE, asks=True)
    rest = page.locator(".prediction-rest").first
    assert rest.inner_text() == "The rest of section 1 opens here" and rest.is_visible()
    next_heading = page.locator("h2:has-text('2. ')").bounding_box()
    assert rest.bounding_box()["y"] < next_heading["y"]
    page.locator("form.prediction").first.locator("text=Go on without").click()
    assert not rest.is_visible() and page.locator("text=comes out full of creature").first.is_visible()


def test_below_the_next_heading_stands_what_waits_until_it_is_answered(open_page):
    """Else who scrolls past the question meets words that the rest of its section explains."""
    page = open_page(PAGE, asks=True)
    told = page.locator(".prediction-before")
    shown = "all => all.filter(each => each.checkVisibility()).map(each => each.textContent)"
    waiting = [f"The rest of section {n} waits for your answer above." for n in (1, 2, 3)]
    end = "What you saw waits for {} of 4 predictions above. Show it"
    waiting.append(end.format(4))
    assert told.evaluate_all(shown) == waiting
    place = [
        page.locator(part).first.bounding_box()["y"] for part in ("h2:text('2. ')", ".prediction-before")
    ]
    assert 0 < place[1] - place[0] < 100
    told.first.locator("a").press("Enter")
    assert 50 < question(page, 0).bounding_box()["y"] < 200
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "prediction-0"
    page.emulate_media(media="print")
    assert told.evaluate_all(shown) == []
    page.emulate_media(media="screen")
    page.locator("form.prediction").first.get_by_label("To the dog").check()
    page.locator("text=This is my answer").first.click()
    assert told.evaluate_all(shown) == [*waiting[:3], end.format(3)]  # a wrong one opens nothing
    page.locator("text=Show the answer >> visible=true").click()
    page.locator("text=Ask me again >> visible=true").click()
    assert told.evaluate_all(shown) == waiting
    page.get_by_role("button", name=NEVER).first.click()
    assert told.evaluate_all(shown) == []


def test_of_two_questions_in_a_section_the_line_leads_to_the_one_that_waits(open_page):
    page = open_page("10_context_extension.html", asks=True)
    told = page.locator(".prediction-before:has-text('section 3')")
    for n in (2, 3):
        told.locator("a").click()
        assert 50 < question(page, n).bounding_box()["y"] < 200
        page.locator("form.prediction").nth(n).locator("text=Go on without").click()
    assert not told.is_visible()


def test_a_later_question_waits_with_what_leads_to_it(open_page):
    page = open_page("10_context_extension.html", asks=True)
    later = question(page, 3)
    assert "which of the three" in later.text_content() and not later.is_visible()
    page.locator("form.prediction").nth(2).locator("text=Go on without").click()
    assert later.is_visible() and page.locator("form.prediction").nth(3).is_visible()


def test_who_looks_for_a_word_finds_its_section_open_and_others_still_ask(open_page):
    page = open_page("glossary.html", asks=True)
    page.locator("dd a[href*='10_context_extension'][href*='slow-the-hands']").first.click()
    page.wait_for_url("**/10_context_extension.html?open#slow-the-hands")
    words = page.locator("li", has_text="which made no full turn in training")
    assert words.is_visible() and page.locator("form.prediction").first.is_visible()
    assert not page.locator("form.prediction").nth(2).is_visible()


def test_an_address_in_a_part_that_waits_leaves_its_question_with_all_answers(open_page):
    page = open_page(f"{PAGE}#a-common-mistake-softmax-down-the-columns", asks=True)
    assert page.locator("text=comes out full of creature").first.is_visible()
    assert page.locator(".prediction-right").first.inner_text().startswith("To the man.")
    assert page.locator("text=Ask me first >> visible=true").count() == 1
    told = page.locator("text=Opened by the link. >> visible=true")
    assert told.count() == 1  # nobody has answered
    page.click("text=Ask me first >> visible=true")
    page.get_by_role("button", name="Go on without").first.click()
    assert page.locator("text=Ask me first >> visible=true").count() == 1 and told.count() == 0


def test_what_a_link_of_the_page_opened_says_so_at_once_and_stays_open(open_page):
    page = open_page(PAGE, asks=True)
    told = page.locator("text=Opened by the link. >> visible=true")
    forms = page.locator("form.prediction:visible")
    for name in ("1. Three words", "A common mistake"):
        page.click(f"#pst-page-toc-nav a:has-text('{name}')")
    told.wait_for()
    page.click("#pst-page-toc-nav a[href='#sources']")
    page.reload()
    told.wait_for()
    assert forms.count() == 3
    page.click("text=Ask me first >> visible=true")
    page.reload()
    assert forms.count() == 4 and not told.count()  # who wants to be asked is


def test_who_wants_all_answers_at_once_sees_the_right_one_open_and_marked(open_page):
    page = open_page(PAGE, asks=True)
    page.get_by_role("button", name=NEVER).first.click()
    right = page.locator(".prediction-right").first
    assert right.evaluate("answer => answer.open") and right.inner_text().startswith("To the man.")
    mark = "answer => getComputedStyle(answer.querySelector('summary'), '::after').content"
    assert "✓" in right.evaluate(mark)


def test_who_presses_without_a_choice_is_told_to_choose(open_page):
    page = open_page(PAGE, asks=True)
    form = page.locator("form.prediction").first
    said, result = form.get_by_role("status"), page.locator(".prediction-result").first
    button = form.locator("text=This is my answer")
    button.scroll_into_view_if_needed()
    before = button.bounding_box()
    button.click()
    assert said.inner_text() == "Choose one first." and form.is_visible()
    box = said.bounding_box()
    assert 0 <= before["y"] - box["y"] - box["height"] < 10  # between the choices and the button,
    assert button.bounding_box() == before  # which stays where it was pressed,
    assert before["y"] - box["y"] - box["height"] > 5  # and has room for its ring
    assert form.locator("input").first.evaluate("input => input === document.activeElement")
    form.get_by_label("To the dog").check()
    assert not said.inner_text()
    button.click()
    assert result.inner_text() == "No, that is not right."
    page.get_by_role("button", name="Try again").first.click()
    assert not said.inner_text()


def test_who_answers_by_key_and_presses_space_to_read_on_does_not_shut_the_answer(open_page):
    page = open_page(PAGE, asks=True)
    form = page.locator("form.prediction").first
    form.get_by_label("To the dog").check()
    form.locator("text=This is my answer").press("Enter")
    verdict = page.locator(".prediction-result").first
    assert verdict.evaluate("it => it === document.activeElement")  # it is read first, and then what follows
    assert verdict.bounding_box()["y"] < page.locator("details.prediction-chosen").bounding_box()["y"]
    before = page.evaluate("scrollY")
    page.keyboard.press("Space")
    page.wait_for_function("before => scrollY > before + 100", arg=before)
    assert page.locator("details.prediction-chosen").get_attribute("open") is not None
    page.keyboard.press("Tab")  # its summary is next, and shuts it who wants that
    assert page.evaluate("document.activeElement.matches('.prediction-chosen > summary')")


def test_who_has_seen_all_answers_can_be_asked_again(open_page):
    page = open_page(PAGE, asks=True)
    form = page.locator("form.prediction").first
    form.get_by_label("To the dog").check()
    form.locator("text=This is my answer").click()
    page.click("text=Show the answer >> visible=true")
    page.click("text=All answers >> visible=true")
    assert page.locator("text=Ask me first >> visible=true").count() == 0
    page.click("text=Ask me again >> visible=true")
    assert form.is_visible() and not page.locator(".prediction-right").count()
    form.locator("text=Go on without").click()
    assert page.locator("text=Ask me first >> visible=true").count() == 1


@pytest.mark.parametrize("pressed", ["Go on without", NEVER, "All answers"])
def test_who_asks_for_all_answers_by_key_goes_on_at_the_first(open_page, pressed):
    page = open_page(PAGE, asks=True)
    form = page.locator("form.prediction").first
    if pressed == "All answers":
        form.get_by_label("To the dog").check()
        form.locator("text=This is my answer").press("Enter")
        page.get_by_role("button", name="Show the answer").press("Enter")
    page.get_by_role("button", name=pressed).first.press("Enter")
    reached = []
    for _ in range(3):
        reached.append(page.evaluate("document.activeElement.innerText"))
        page.keyboard.press("Tab")
    assert [text.strip() for text in reached] == form.locator("label").all_text_contents()


def test_choices_stay_in_this_browser_and_the_landing_page_knows_where_the_reader_was(open_page, address):
    page = open_page(PAGE, asks=True)
    for n in range(2):
        form = page.locator("form.prediction").nth(n)
        form.locator("input").first.check()
        form.locator("text=This is my answer").click()
    page.reload()
    chosen = page.locator("details.prediction-chosen")
    assert chosen.count() == 2 and chosen.first.get_attribute("open") is not None
    score = page.locator("#what-you-saw .prediction-score")
    assert score.text_content() == "Your predictions: 1 of 4 right, 2 not made yet."
    page.get_by_role("button", name="Try again").first.click()
    page.locator("form.prediction").first.locator("input").last.check()
    page.locator("form.prediction").first.locator("text=This is my answer").click()
    assert score.text_content() == "Your predictions: 1 of 4 right at once, 2 in the end, 2 not made yet."
    page.goto(f"{address}/index.html")
    link = page.locator(".hero-continue")
    assert link.inner_text() == "Continue at 00 · 2 of 4 predictions"
    assert link.get_attribute("href").startswith(f"{PAGE}#")  # the section that was read last
    assert page.locator(".hero-made").all_inner_texts() == ["2 of 4"]
    other = open_page("index.html", asks=True)  # another reader
    assert not other.is_visible(".hero-continue")
    page.goto(f"{address}/09_relative_bias.html")  # to look at it is no prediction
    page.goto(f"{address}/index.html")
    assert link.inner_text().startswith("Continue at 00 · 2 of ")
    page.goto(f"{address}/09_relative_bias.html")
    page.locator("form.prediction input").first.check()
    page.locator("form.prediction >> text=This is my answer").first.click()
    page.goto(f"{address}/index.html")
    assert link.inner_text().startswith("Continue at 09 · 1 of ")
    other.goto(f"{address}/09_relative_bias.html")
    other.goto(f"{address}/index.html")
    other.wait_for_selector(".words-band")
    assert not other.is_visible(".hero-continue")  # nothing was read
    page.goto(f"{address}/{PAGE}")
    page.get_by_role("button", name=NEVER).first.click()
    page.goto(f"{address}/index.html")
    page.wait_for_selector(".words-band")
    assert re.fullmatch(r"Continue at 00 · section \d", link.inner_text())  # no score
    assert not page.locator(".hero-made").count()
    page.evaluate("localStorage.removeItem('predictions-skip')")
    done = {"of": 4, "chosen": {n: 0 for n in range(4)}}
    page.evaluate(
        "kept => localStorage['predictions'] = kept", json.dumps({PAGE[:-5]: done, "last": PAGE[:-5]})
    )
    page.reload()
    assert link.inner_text() == "Go on with 01 · The formula"
    assert page.locator(".hero-made").all_inner_texts() == ["✓ 4 of 4"]
    assert link.get_attribute("href").endswith("/01_formula.html")
    page.set_viewport_size({"width": 375, "height": 667})
    for way in (link, page.locator(".hero-button")):  # on, and to the beginning
        box = way.bounding_box()
        assert box["y"] + box["height"] <= 667 and 0 < box["x"] < box["x"] + box["width"] < 375


@pytest.mark.parametrize("asks", [True, False])
def test_the_landing_page_leads_back_to_the_section_that_was_left_also_without_an_answer(
    asks, open_page, address
):
    page = open_page(PAGE, asks=asks)
    page.locator("h2", has_text="2. ").scroll_into_view_if_needed()
    page.locator("h2", has_text="3. ").evaluate("heading => heading.scrollIntoView()")
    page.wait_for_timeout(100)
    page.goto(f"{address}/index.html")
    link = page.locator(".hero-continue")
    assert link.inner_text() == "Continue at 00 · section 3"
    link.click()
    page.wait_for_selector("article h2")
    top = page.locator("h2", has_text="3. ").evaluate("heading => heading.getBoundingClientRect().top")
    assert 0 <= top < 200
    page.locator("#exercises > h2").evaluate("heading => heading.scrollIntoView()")
    page.wait_for_timeout(100)
    page.goto(f"{address}/index.html")
    assert link.inner_text() == ("Continue at 00 · the end" if asks else "Go on with 01 · The formula")


def test_a_part_below_an_open_question_waits_for_its_answer_unless_it_asks_itself(open_page):
    page = open_page(PAGE, asks=True)
    mistake = page.locator("h3", has_text="A common mistake")
    assert mistake.count() == 1 and not mistake.is_visible()
    assert page.locator("h2", has_text="Does attention see the order?").is_visible()
    page.locator("form.prediction").first.get_by_text("Go on without").click()
    assert mistake.is_visible()
    named = mistake.evaluate("heading => heading.parentElement.id")
    assert open_page(f"{PAGE}#{named}", asks=True).locator(f"[id='{named}'] > h3").is_visible()
    other = open_page("02_angle_rates.html", asks=True)
    asks = other.locator("section:has(> h3:text('A common mistake')):has(form.prediction)")
    assert asks.count() == 1 and asks.locator("form.prediction").is_visible()


def test_nobody_has_to_be_asked(open_page):
    page = open_page(PAGE, asks=True)
    forms = page.locator("form.prediction")
    forms.first.locator("text=Go on without").click()
    assert page.locator("text=comes out full of creature").first.is_visible() and forms.nth(1).is_visible()
    forms.nth(1).get_by_text(NEVER).click()
    assert not page.locator("form.prediction:visible").count()
    page.reload()
    assert not page.locator("form.prediction:visible").count()
    page.get_by_role("button", name="Ask me first").first.click()
    assert forms.first.is_visible()
    page.reload()
    assert forms.nth(1).is_visible()


def test_an_address_opens_what_it_names(open_page):
    page = open_page(f"{PAGE}#figure-1", asks=True)
    page.wait_for_selector("#figure-1 canvas.live-picture")
    assert page.locator("#figure-1 canvas").is_visible()


def test_without_javascript_the_answers_are_folds(open_page):
    page = open_page(PAGE, asks=True, java_script_enabled=False)
    assert page.locator("text=comes out full of creature").first.is_visible()
    page.locator("summary:text('To the man.')").first.click()
    assert page.locator("text=the largest product of the three").first.is_visible()


def test_a_claim_shows_its_value_to_pointer_key_and_finger_and_leads_to_its_cell(open_page):
    page = open_page(PAGE)
    words = page.locator("a.claim", has_text="more than half of its weight")
    shown = page.locator("a.claim:has-text('more than half of its weight') + .claim-value")
    words.hover()
    assert shown.inner_text() == "“more than half of its weight”: 0.576 · see the code"
    page.mouse.move(0, 0)
    page.wait_for_function("!document.querySelector('.claim-value:not(:empty)')")
    words.focus()
    assert shown.inner_text() == "“more than half of its weight”: 0.576 · see the code"
    page.keyboard.press("Escape")
    assert not shown.inner_text()
    phone = open_page(PAGE, width=375, has_touch=True)
    phone.locator("a.claim", has_text="more than half of its weight").tap()
    box = phone.locator(".claim-value:not(:empty)").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 375
    phone.locator(".claim-value a").tap()
    for _ in range(2):  # again, where the address is that of the line already
        line = phone.locator(phone.evaluate("location.hash"))
        phone.wait_for_function("line => line === document.activeElement", arg=line.element_handle())
        assert line.inner_text().strip() == 'claim("more than half of its weight", weights[1, 2])'
        assert line.is_visible() and 50 < line.bounding_box()["y"] < 850  # its fold is open
        assert line.evaluate("line => parseFloat(getComputedStyle(line).outlineWidth)") == 2
        assert line.evaluate(ROWS) == 0  # no empty one
        phone.locator("a.claim", has_text="more than half of its weight").tap()
        phone.locator(".claim-value a").tap()


def test_what_is_shown_of_words_that_were_pressed_stays_until_something_else_is(open_page):
    page = open_page(PAGE)
    page.locator("a.claim").first.click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(1500)  # more than the pointer has to come back
    assert page.locator(".claim-value:not(:empty)").is_visible()
    page.locator("article h1").click()
    assert not page.locator(".claim-value:not(:empty)").count()


def test_on_a_phone_what_is_shown_stands_at_the_foot_and_the_page_gets_no_wider(open_page):
    page = open_page(PAGE, width=375, height=812, has_touch=True, is_mobile=True)
    assert list(live_figures(page))  # a figure that is loaded later moves what is below it
    for n in range(page.locator("a.claim").count()):
        words = page.locator("a.claim").nth(n)
        if not words.is_visible():
            continue
        words.evaluate("words => words.scrollIntoView({ block: 'center' })")
        words.tap()
        box = page.locator(".claim-value:not(:empty)").bounding_box()
        assert 0 <= 812 - box["y"] - box["height"] < 20, n
    page.keyboard.press("Escape")
    words = page.locator("a.claim").first
    words.evaluate("words => scrollBy(0, words.getBoundingClientRect().bottom - innerHeight + 20)")
    words.tap()  # its sentence is at the foot
    assert 50 < page.locator(".claim-value:not(:empty)").bounding_box()["y"] < 100
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_back_leads_to_where_one_was_also_after_the_code_behind_a_number(open_page):
    page = open_page(PAGE)
    page.locator("a.claim").first.click()
    page.locator(".claim-value a").click()
    page.get_by_role("button", name="Back to the text").click()
    page.wait_for_function("document.activeElement.matches('a.claim')")
    link = page.locator("article p a[href^='#']", has_text="the proof").first
    link.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    link.click()
    page.wait_for_function("before => Math.abs(scrollY - before) > 500", arg=before)
    page.go_back()
    page.wait_for_function("before => Math.abs(scrollY - before) < 50", arg=before)
    page.wait_for_timeout(300)
    assert abs(page.evaluate("scrollY") - before) < 50


def test_back_finds_the_doors_as_they_were_left_and_a_fresh_visit_finds_them_closed(open_page, address):
    page = open_page(PAGE)
    open_doors = "[...document.querySelectorAll('.door')].map(door => door.open)"
    assert page.evaluate(open_doors).count(True) == 0
    page.locator(".door > summary").nth(1).click()
    place = page.locator(".door > summary").nth(1).bounding_box()["y"]
    page.evaluate("address => (location.href = address)", f"{address}/01_formula.html")
    page.wait_for_url("**/01_formula.html")
    page.go_back()
    page.wait_for_function(f"({open_doors})[1]")
    assert page.evaluate(open_doors).count(True) == 1
    page.wait_for_timeout(300)
    assert page.locator(".door > summary").nth(1).bounding_box()["y"] == pytest.approx(place, abs=20)
    page.goto(f"{address}/01_formula.html")
    page.goto(f"{address}/{PAGE}")
    page.wait_for_selector(".door")
    assert page.evaluate(open_doors).count(True) == 0


@pytest.mark.parametrize("name", [PAGE, "07_words_and_positions.html", "09_relative_bias.html"])
def test_what_is_shown_stands_below_the_words_and_covers_nothing_where_there_is_room(open_page, name):
    page = open_page(name, height=720)
    empty, asked = 0, page.locator("a:is(.claim, .term):visible").all()
    for words in asked:
        words.evaluate("words => words.scrollIntoView({ block: 'center' })")
        words.focus()
        shown = words.locator("+ .claim-value")
        below, above = shown.evaluate(GAPS)
        covers = shown.evaluate(TEXT_BELOW)
        if max(below, above) > 0:
            most = 160 if name != PAGE else 95 if covers else 125  # other pages have longer sentences
            assert 3 <= max(below, above) < most, words.inner_text()
        else:  # beside them
            assert 3 <= shown.evaluate(ASIDE) <= 270 and not covers, words.inner_text()
        assert above < 0 or not covers, words.inner_text()  # not on a line above
        empty += not covers
        is_short = name == PAGE and words.evaluate("words => words.matches('.claim')")  # 00 has room for it
        assert not (covers and is_short), words.inner_text()
        page.keyboard.press("Escape")
    assert empty >= 0.3 * len(asked), (empty, len(asked))


TEXT_BELOW = """shown => {  // how many lines of the page it covers
    const box = shown.getBoundingClientRect()
    const texts = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    const lines = []
    while (texts.nextNode()) {
        const { currentNode: text } = texts
        const isText = text.data.trim() && !text.parentElement.closest('.claim-value, .katex-mathml, script')
        if (!isText || !text.parentElement.checkVisibility()) continue
        range.selectNodeContents(text)
        lines.push(...[...range.getClientRects()].filter(({ width }) => width > 1))
    }
    return lines.filter(({ left, top, right, bottom }) =>
        left < box.right && right > box.left && top < box.bottom && bottom > box.top).length
}"""


def test_where_the_screen_ends_what_is_shown_stands_above_and_who_comes_by_tab_has_room_below(open_page):
    page = open_page(PAGE, height=720)
    words = page.locator("a.claim", has_text="more than half of its weight")
    words.evaluate("words => scrollBy(0, words.getBoundingClientRect().bottom - innerHeight + 8)")
    words.hover()
    shown = words.locator("+ .claim-value").bounding_box()
    assert shown["y"] + shown["height"] <= words.bounding_box()["y"]
    page.keyboard.press("Escape")
    page.evaluate("scrollTo(0, 0)")
    page.locator("a.claim", has_text="is about 2").focus()
    words.evaluate("words => scrollBy(0, words.getBoundingClientRect().top - innerHeight - 300)")
    page.keyboard.press("Tab")
    while not words.evaluate("words => words === document.activeElement"):
        page.keyboard.press("Tab")
    assert words.bounding_box()["y"] + 100 < 720


@pytest.mark.parametrize("width", [1280, 375])
def test_a_value_stands_behind_its_words_and_code_that_computes_it_in_a_line_of_its_own(open_page, width):
    page = open_page(PAGE, width=width)
    said, high = {}, 0
    for words in page.locator("a.claim:visible").all():
        words.focus()
        shown = words.locator("+ .claim-value")
        said[words.inner_text()] = shown.inner_text().removesuffix("×").strip().split("\n")
        high = max(high, shown.bounding_box()["height"])
        page.keyboard.press("Escape")
    assert len(said) >= 8 and all(shown[0].startswith(f"“{words}”: ") for words, shown in said.items())
    by = "by np.flatnonzero(same_hand)[0] + 1" if width > 375 else "for this page"  # no room for code
    twelve = ["“repeats after twelve words”: 12", f"computed {by} · see the code"]
    assert said["repeats after twelve words"] == twelve
    kept = "“more than seven tenths”: 0.759 to 0.941"  # an index says nothing
    seven = [kept, twelve[1]] if width == 375 else [f"{kept} · see the code"]
    assert said["more than seven tenths"] == seven
    assert width > 375 or high < 70  # three lines


def test_on_a_phone_what_is_shown_can_be_closed_and_goes_when_one_reads_on(open_page):
    page = open_page(PAGE, width=375, height=667, has_touch=True, is_mobile=True)
    words = page.locator("a.claim", has_text="more than half of its weight")
    words.evaluate("words => words.scrollIntoView({ block: 'center' })")
    shown = words.locator("+ .claim-value")
    words.tap()
    button = shown.get_by_role("button", name="Close")
    box = button.bounding_box()
    assert box["width"] >= 44 and box["height"] >= 44
    before = page.evaluate("scrollY")
    button.tap()
    assert not shown.text_content() and page.evaluate("scrollY") == before
    words.tap()
    page.evaluate("scrollBy(0, 150)")
    page.wait_for_timeout(200)
    assert shown.is_visible()  # a little is no reading on
    page.evaluate("scrollBy(0, 150)")
    page.wait_for_function("!document.querySelector('.claim-value:not(:empty)')")


ROWS = """line => {  // how many lines high it is beyond those of its letters
    const range = document.createRange()
    range.selectNodeContents(line)
    const rows = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 6))).size
    return Math.floor(line.offsetHeight / parseFloat(getComputedStyle(line).lineHeight) + 0.3) - rows
}"""
GAPS = """shown => {
    const lines = [...shown.previousElementSibling.getClientRects()]
    const { top, bottom } = shown.getBoundingClientRect()
    return [top - lines.at(-1).bottom, lines[0].top - bottom]
}"""
ASIDE = """shown => {  // of what stands on the line of its words
    const lines = [...shown.previousElementSibling.getClientRects()]
    const { left, right } = shown.getBoundingClientRect()
    return Math.max(left - lines.at(-1).right, lines[0].left - right)
}"""
COVERED = r"""shown => {  // the letters that it covers of the words' sentence and of what follows to the
    // end of the next line
    const words = shown.previousElementSibling
    const block = words.closest('p, li, td, dd, summary')
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    const letters = []
    while (texts.nextNode()) {
        const text = texts.currentNode
        if (!text.parentElement.closest('.claim-value, .katex-mathml'))
            for (let n = 0; n < text.length; n++) letters.push([text, n])
    }
    const said = letters.map(([text, n]) => text.data[n]).join('')
    const isOwn = ([text]) => words.contains(text)
    const [from, to] = [letters.findIndex(isOwn), letters.findLastIndex(isOwn)]
    const start = [...said.slice(0, from).matchAll(/[.!?]\S?\s+/g)].at(-1)
    const rest = said.slice(to).search(/[.!?](?=\s|$)/)
    const box = shown.getBoundingClientRect()
    const range = document.createRange()
    const rectsOf = ([text, n]) => {
        range.setStart(text, n)
        range.setEnd(text, n + 1)
        return [...range.getClientRects()].filter(({ width }) => width > 1)
    }
    const end = rest < 0 ? letters.length : to + rest
    const after = letters.slice(end + 1).flatMap(rectsOf)
    const lastLine = rectsOf(letters[Math.min(end, letters.length - 1)])[0].bottom
    const nextLine = Math.min(...after.filter(({ top }) => top > lastLine - 4).map(({ top }) => top))
    const begin = start ? start.index + start[0].length : 0
    const isRead = ({ top }) => top < nextLine + 8
    const isUnder = ({ left, top, right, bottom }) =>
        left < box.right && right > box.left && top < box.bottom && bottom > box.top
    const isCovered = letter => rectsOf(letter).some(rect => isRead(rect) && isUnder(rect))
    const covered = letters.slice(begin).filter(isCovered)
    return covered.map(([text, n]) => text.data[n]).join('').trim()
}"""


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("name", [PAGE, "07_words_and_positions.html"])
def test_what_is_shown_leaves_the_sentence_and_the_next_line_in_sight_and_goes_with_the_pointer(
    open_page, name, width
):
    page = open_page(name, width=width)
    asked = page.locator("a:is(.claim, .term):visible").all()
    for words in asked:
        words.evaluate("words => words.scrollIntoView({ block: 'center' })")
        words.focus()
        assert not words.locator("+ .claim-value").evaluate(COVERED), words.inner_text()
        page.keyboard.press("Escape")
    assert len(asked) > 3
    words.focus()
    words.hover()
    page.mouse.move(2, 2)  # the focus stays
    page.wait_for_function("!document.querySelector('.claim-value:not(:empty)')", timeout=2000)


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("line", [0, 1, 2])
def test_in_a_sentence_of_three_lines_what_is_shown_covers_none_of_them_and_not_the_next(
    open_page, width, line
):
    page = open_page(PAGE, width=width)
    words = page.locator("a.claim", has_text="rows must sum to one")
    count = words.evaluate(THREE_LINES, line)
    assert count == 3
    words.focus()
    shown = words.locator("+ .claim-value")
    assert "”: 1\ncomputed" in shown.inner_text() and not shown.evaluate(COVERED)
    if width > 600:  # on a phone it stands at the screen's foot
        assert 3 <= max(shown.evaluate(GAPS)) < (95 if shown.evaluate(TEXT_BELOW) else 125)


THREE_LINES = """(words, line) => {  // write a sentence of three lines around words, on one of these
    const [paragraph, shown] = [words.closest('p'), words.nextElementSibling]
    const [before, after] = [document.createTextNode(''), document.createTextNode('. ')]
    const rest = document.createTextNode('And this sentence is read next, until it ends. '.repeat(6))
    const first = 'Before it stands another one, of a few words. '
    paragraph.replaceChildren(first, before, words, shown, after, rest)
    words.scrollIntoView({ block: 'center' })
    const range = document.createRange()
    const linesOf = (from, to) => {
        range.setStartBefore(from)
        range.setEndAfter(to)
        return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size
    }
    while (linesOf(before, words) <= line) before.data += 'so '
    while (linesOf(before, after) < 3) after.data = ` so${after.data}`
    return linesOf(before, after)
}"""


COVERS_BOLD = """shown => {
    const box = shown.getBoundingClientRect()
    const lines = [...document.querySelectorAll('p > strong')].flatMap(bold => [...bold.getClientRects()])
    return lines.some(({ left, top, right, bottom }) =>
        left < box.right && right > box.left && top < box.bottom && bottom > box.top)
}"""


@pytest.mark.parametrize("width", [1280, 375])
def test_what_is_shown_leaves_the_bold_sentence_below_in_sight(open_page, width):
    page = open_page(PAGE, width=width, has_touch=True)
    words = page.locator("a.claim", has_text="more than half of its weight")
    words.evaluate("words => words.scrollIntoView({ block: 'center' })")
    words.tap()
    assert not words.locator("+ .claim-value").evaluate(COVERS_BOLD)
    if width > 1000:  # the pointer gets there over the sentence
        shown = words.locator("+ .claim-value").bounding_box()
        words.hover()
        page.mouse.move(shown["x"] + 20, shown["y"] - 8)
        page.wait_for_timeout(250)
        page.mouse.move(shown["x"] + 20, shown["y"] + 8)
        page.wait_for_timeout(500)
        assert "”: 0.576" in words.locator("+ .claim-value").inner_text()


@pytest.mark.parametrize("way", ["Escape", "button", "finger"])
def test_the_code_has_a_way_back_to_the_words(open_page, way):
    """Escape and a button; both go with the address that they lead back from."""
    width = 375 if way == "finger" else 1280
    page = open_page(PAGE, width=width, has_touch=way == "finger")
    words = page.locator("a.claim", has_text="more than half of its weight")
    code = page.locator("pre > span", has_text='claim("more than half of its weight"')
    back = page.get_by_role("button", name="Back to the text")
    for _ in range(2):
        words.focus()
        before = words.bounding_box()["y"]
        page.keyboard.press("Enter")
        page.wait_for_function("document.activeElement.matches('pre > span')")
        line, box = page.locator("pre > span:focus"), back.bounding_box()
        place = line.bounding_box()
        assert 0 <= box["y"] - place["y"] - place["height"] < 15  # below the line, and on none
        following = line.evaluate("line => line.nextElementSibling.getBoundingClientRect().top")
        assert box["y"] + box["height"] <= following and box["x"] > 0 and box["x"] + box["width"] < width
        if way == "Escape":
            page.keyboard.press("Escape")
        elif way == "button":
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
        else:
            back.tap()
        page.wait_for_function("document.activeElement.matches('a.claim')")
        assert words.evaluate("words => words === document.activeElement") and not back.count()
        assert not code.is_visible()  # the fold that was opened for it is closed again
        page.wait_for_timeout(300)
        assert abs(words.bounding_box()["y"] - before) < 400 and "#" not in page.url
        shown = words.locator("+ .claim-value")
        assert shown.inner_text() and not shown.evaluate(COVERS_BOLD)  # so Enter leads on again
    page.keyboard.press("Enter")
    back.wait_for()
    page.evaluate("location.hash = 'sources'")
    back.wait_for(state="detached")


UNDERLINED = "What is underlined with dots"


@pytest.mark.parametrize("name", [PAGE, "07_words_and_positions.html"])
def test_before_the_first_dotted_words_a_line_says_once_what_the_dots_mean(open_page, name):
    page = open_page(name, asks=True)
    how = page.locator(".claim-how")
    said = f"{UNDERLINED} or dashes: point at it, tap it, or reach it with Tab, to see the exact number"
    assert how.text_content() == f"{said} or what a word means."
    lines = "how => [how, ...how.children].map(it => getComputedStyle(it).textDecorationLine)"
    assert set(how.evaluate(lines)) == {"none"}  # nothing in it can be asked
    assert page.locator("article").aria_snapshot().count(UNDERLINED) <= 1  # or it waits for an answer
    assert how.evaluate("how => !how.closest('[role=status], [aria-live], details, form')")
    is_first = """how => [...document.querySelectorAll('a:is(.claim, .term)')]
        .every(words => how.compareDocumentPosition(words) & Node.DOCUMENT_POSITION_FOLLOWING)"""
    assert how.evaluate(is_first)
    page.get_by_role("button", name=NEVER).first.click()
    assert how.is_visible() and page.locator("article").aria_snapshot().count(UNDERLINED) == 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not how.count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert how.count() == 1 and how.evaluate(is_first)
    page.goto(page.url.replace(name, "glossary.html"))
    assert not how.count()  # nothing there has dots


@pytest.mark.parametrize("skips", [False, True])
def test_back_from_the_code_leads_to_the_words_which_have_the_focus(open_page, skips):
    page = open_page(PAGE)
    page.keyboard.press("Tab")
    if skips:
        page.keyboard.press("Enter")  # to the main content
    words = page.locator("a.claim", has_text="more than half of its weight")
    words.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.matches('pre > span')")
    page.go_back()
    page.wait_for_function("document.activeElement.matches('a.claim')")
    page.wait_for_timeout(300)  # the browser has gone where the address leads
    assert words.evaluate("words => words === document.activeElement")
    box = words.bounding_box()
    assert 50 < box["y"] < 900 - box["height"]


@pytest.mark.parametrize("name", [PAGE, "05_shift_matrices.html", "07_words_and_positions.html"])
def test_what_is_shown_covers_no_formula_and_no_picture(open_page, name):
    page = open_page(name, width=1600)
    covered = """shown => {
        const box = shown.getBoundingClientRect()
        return [...document.querySelectorAll('.katex-display .base, img, canvas')].some(part => {
            const { left, top, right, bottom } = part.getBoundingClientRect()
            return left < box.right && right > box.left && top < box.bottom && bottom > box.top
        })
    }"""
    asked, without_room = page.locator("a:is(.claim, .term):visible").all(), set()
    for words in asked:
        words.evaluate("words => words.scrollIntoView({ block: 'center' })")
        words.focus()
        shown = words.locator("+ .claim-value")
        without_room |= {words.inner_text()} if shown.evaluate(covered) else set()
        box = shown.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1600
        page.keyboard.press("Escape")
    assert len(asked) > 1
    assert without_room <= {"dot product"}  # a title of code and a picture stand right below its sentence


def test_what_is_shown_goes_at_once_when_the_focus_goes_on(open_page):
    page = open_page(PAGE)
    words = page.locator("a.claim", has_text="is about 2")
    words.focus()
    assert words.locator("+ .claim-value").inner_text()
    page.keyboard.press("Tab")  # no waiting: it could cover what has the focus now
    assert not page.evaluate(
        "[...document.querySelectorAll('.claim-value')].map(e => e.textContent).join('')"
    )


def test_the_pointer_closes_what_was_shown_of_other_words(open_page):
    page = open_page(PAGE)
    first, second = page.locator("a:is(.claim, .term):visible").all()[:2]
    first.evaluate("words => words.dispatchEvent(new PointerEvent('pointerenter'))")
    second.evaluate("words => words.dispatchEvent(new PointerEvent('pointerenter'))")
    assert first.locator("+ .claim-value").inner_text()  # the pointer may be on its way to it
    second.locator("+ .claim-value:not(:empty)").wait_for()
    assert page.locator(".claim-value:not(:empty)").count() == 1


def test_a_number_is_one_stop_of_the_tabulator_key_and_enter_leads_to_its_code(open_page):
    page = open_page(PAGE)
    words = page.locator("a.claim", has_text="more than half of its weight")
    words.focus()
    shown = words.locator("+ .claim-value")
    assert shown.inner_text().endswith(" · see the code")
    page.keyboard.press("Tab")
    assert shown.evaluate("shown => !shown.contains(document.activeElement)")
    page.keyboard.press("Shift+Tab")
    assert words.evaluate("words => words === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.matches('pre > span')")
    assert not shown.inner_text() and page.evaluate("location.hash").startswith("#cell-")


def test_a_word_says_what_it_means_and_leads_to_where_that_is_said(open_page):
    page = open_page("09_relative_bias.html")
    word = page.locator("a.term", has_text="offset").first
    word.hover()
    shown = word.locator("+ .claim-value")
    assert "the second minus the first, in formulas k." in shown.inner_text().replace("-", "−")
    shown.get_by_text("notebook 04").click()
    page.wait_for_url("**/04_similarity.html?open#*")
    page.goto(page.url.partition("04_")[0] + "glossary.html")
    assert page.locator("#term-offset").count() == 1 and page.locator("dd .katex").count() > 5


def test_a_word_of_the_page_itself_leads_to_the_section_that_explains_it(open_page):
    page = open_page(PAGE, asks=True)
    words = page.locator("a.term")
    assert words.first.text_content() == "matrix" and words.nth(1).text_content() == "Transformer"
    word = page.locator("a.term", has_text="keys").first
    page.get_by_role("button", name="Go on without").nth(1).click()  # it stands after the second question
    word.hover()
    shown = word.locator("+ .claim-value")
    assert shown.inner_text().startswith("A vector made from a word") and shown.inner_text().endswith(
        "section 1"
    )
    shown.get_by_text("section 1").click()
    page.wait_for_url(f"**/{PAGE}?open#1.-Three-words,-by-hand")
    box = page.locator("h2", has_text="1. Three words").bounding_box()
    assert 0 <= box["y"] < 200


def test_a_value_stands_at_its_words_also_where_a_formula_follows(open_page):
    """In a narrow box beside it, where a wide one has no room above the code."""
    page = open_page(PAGE, height=720)
    assert list(live_figures(page))
    words = page.locator("a.claim", has_text="is about 2")
    words.evaluate("words => words.scrollIntoView({ block: 'center' })")
    words.focus()
    own, shown = words.bounding_box(), words.locator("+ .claim-value").bounding_box()
    assert shown["x"] < own["x"] + own["width"] and own["x"] < shown["x"] + shown["width"]
    assert 0 < shown["y"] - own["y"] - own["height"] < 50
    assert (
        shown["y"] + shown["height"] < page.locator("pre:has-text('def softmax')").first.bounding_box()["y"]
    )


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (375, 720), (640, 450)])
def test_the_letters_of_the_words_stay_in_sight_and_cover_none_that_is_led_to(open_page, width, height):
    page = open_page("glossary.html", width=width, height=height)
    letters, text = page.locator(".letters"), page.locator("dd p").first
    size = "it => it.clientWidth / parseFloat(getComputedStyle(it).fontSize)"
    assert text.evaluate(size) < 41  # some 80 letters
    for letter in ("N", "T"):
        letters.get_by_text(letter, exact=True).press("Enter")
        page.wait_for_function("scrollY > 1000")
        page.wait_for_timeout(800)
        place = page.evaluate(
            "document.querySelector(location.hash).closest('dt').getBoundingClientRect().top"
        )
        bar = letters.bounding_box()
        end = bar["y"] + bar["height"]
        assert (end <= place < end + 100 and bar["y"] > 0) if height > 500 else (0 < place < 200 and end < 0)
    page.keyboard.press("Tab")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "has_touch"), [(375, True), (375, False), (1280, False)])
def test_no_sliver_of_a_line_shows_above_or_below_the_letters(open_page, width, has_touch):
    page = open_page("glossary.html", width=width, height=812, has_touch=has_touch, is_mobile=has_touch)
    letters = page.locator(".letters")
    letter = letters.get_by_text("S", exact=True)
    letter.tap() if has_touch else letter.click()
    page.wait_for_function("scrollY > 1000")
    page.wait_for_timeout(800)
    seen = """() => {  // what is on top, from below the page's bar to the letters
        const from = document.querySelector('.bd-header-article').getBoundingClientRect().bottom
        const { top, left, width } = document.querySelector('.letters').getBoundingClientRect()
        const at = (x, y) => document.elementFromPoint(left + x, y).closest('.letters, .bd-header-article')
        const rows = Array.from({ length: Math.ceil(top - from) }, (_, row) => from + row + 0.5)
        return [1, width / 2, width - 1].every(x => rows.every(y => at(x, y)))
    }"""
    assert page.evaluate(seen)
    before = page.locator("dd:has(+ dt #term-scalar-product) > p").last.bounding_box()
    bar = letters.bounding_box()
    assert before["y"] + before["height"] <= bar["y"] + bar["height"]


@pytest.mark.parametrize("width", [1280, 700, 375])
def test_a_word_that_is_led_to_stays_where_it_was(open_page, width):
    page = open_page("glossary.html", width=width)
    places = """name => [document.querySelector(`#term-${name}`).nextElementSibling, ...document
        .querySelectorAll(`dt:has(#term-${name}) + dd > p`)].map(part => part.getBoundingClientRect().left)"""
    for name in ("padding", "packing", "patch"):
        before = page.evaluate(places, name)
        page.evaluate("name => (location.hash = `term-${name}`)", name)
        assert page.evaluate(places, name) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    "place",
    [
        "longer-texts-than-in-training",
        "5.-Longer-texts-than-in-training",
        "running-a-bias-fast",
        "Running-a-bias-fast",
    ],
)
def test_a_heading_that_is_led_to_is_marked_behind_a_door_too(open_page, place):
    page = open_page(f"09_relative_bias.html?open#{place}")
    page.wait_for_function("document.querySelector('#running-a-bias-fast > .door')")
    ground = """() => [...document.querySelectorAll('article :is(h2, h3)')].filter(heading =>
        getComputedStyle(heading).backgroundColor !== 'rgba(0, 0, 0, 0)').map(heading => heading.innerText)"""
    (marked,) = page.evaluate(ground)
    assert marked.replace(" ", "-").lower().startswith(place.lower()) or "5. Longer texts" in marked


def test_what_a_word_means_is_larger_than_what_is_quoted_which_has_a_bar(open_page):
    page = open_page("glossary.html")
    style = "it => ['fontSize', 'borderLeftWidth'].map(name => parseFloat(getComputedStyle(it)[name]))"
    entry = page.locator("dt:has(#term-score) + dd > p")
    (size, bar), (small, thick) = entry.first.evaluate(style), entry.last.evaluate(style)
    assert size > small >= 14 and bar == 0 < thick
    (quote,) = page.locator("dt:has(#term-nat) + dd > p + p").all_inner_texts()
    assert quote.startswith("00 · ") and "“A nat more means" in quote


def test_each_word_stands_in_one_line_with_what_it_means(open_page):
    tops = """() => [...document.querySelectorAll('dt:has(> [id^=term-])')].map(word => {
        const parts = [word.querySelector('strong'), word.nextElementSibling.querySelector('p')]
        return parts.map(part => {
            const range = document.createRange()
            range.selectNodeContents(part)
            return range.getClientRects()[0].bottom
        })
    })"""
    for width in (1280, 1400):
        lines = open_page("glossary.html", width=width).evaluate(tops)
        assert len(lines) > 90 and max(abs(word - means) for word, means in lines) < 1.5


def test_links_among_the_words_have_the_text_s_colour_until_they_are_pointed_at(open_page):
    page = open_page("glossary.html")
    link = page.locator("dt:has(#term-hand) + dd a[href='#term-cosine']")
    look = """link => [link, link.parentElement].map(it => getComputedStyle(it)).map(style =>
        [style.color, style.textDecorationLine, style.textDecorationStyle])"""
    (color, *line), (text, *_) = link.evaluate(look)
    assert color == text and line == ["underline", "dotted"]
    where = page.locator("dt:has(#term-hand) + dd a[href*='01_formula']")
    assert where.evaluate(look)[0][0] != where.evaluate(look)[1][0]  # to a notebook: as all links
    link.hover()
    page.wait_for_timeout(300)
    assert link.evaluate(look)[0][0] != text


def test_a_name_of_a_source_opens_its_entry_to_pointer_key_and_finger(open_page):
    page = open_page("09_relative_bias.html")
    words = page.locator("a.source", has_text="were mended")
    shown = words.locator("+ .claim-value[role=status]")
    words.hover()
    assert shown.inner_text() == "The wrong sign: attention-gym 86 (2024) · all sources"
    assert "attention-gym/pull/86" in shown.get_by_text("attention-gym 86").get_attribute("href")
    page.keyboard.press("Escape")  # wherever the focus is
    assert not shown.inner_text()
    page.mouse.move(0, 0)
    words.focus()
    page.keyboard.press("Tab")
    page.wait_for_timeout(400)  # the words have lost the focus, but not what they show
    assert page.evaluate("document.activeElement.textContent") == "attention-gym 86"
    page.keyboard.press("Escape")
    assert not shown.inner_text() and words.evaluate("words => words === document.activeElement")
    page.keyboard.press("Enter")
    assert "The wrong sign" in shown.inner_text()
    shown.get_by_text("all sources").click()
    entry = page.locator(page.evaluate("location.hash"))
    assert entry.inner_text() == "The wrong sign: attention-gym 86 (2024)" and entry.is_visible()
    phone = open_page("09_relative_bias.html", width=375, height=667, has_touch=True)
    for words in phone.locator("a.source:visible").all():
        words.evaluate("words => scrollBy(0, words.getBoundingClientRect().bottom - innerHeight + 5)")
        words.tap()
        box = words.locator("+ .claim-value").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 375 and box["y"] + box["height"] <= 667
        phone.touchscreen.tap(1, 300)
        assert not phone.locator(".claim-value:not(:empty)").count()


@pytest.mark.parametrize("width", [1280, 375])
def test_what_was_shown_leaves_the_line_as_it_was(open_page, width):
    page = open_page("09_relative_bias.html", width=width, has_touch=True)
    asked = page.locator("a:is(.claim, .term, .source):visible").all()
    lines = """words => {
        const range = document.createRange()
        range.selectNodeContents(words.parentElement)
        const [first, ...others] = range.getClientRects()
        return others.flatMap(({ x, y, width, height }) => [x - first.x, y - first.y, width, height])
    }"""
    pulled = 0
    for words in asked:
        before = words.evaluate(lines)
        shown = words.locator("+ .claim-value")
        words.tap()
        pulled += shown.evaluate("shown => parseFloat(shown.style.translate) < 0")
        page.keyboard.press("Escape")
        assert not shown.inner_text()
        assert words.evaluate(lines) == pytest.approx(before)
    assert len(asked) > 10 and (pulled or width < 600)  # a phone has it at the foot of its screen


def test_without_javascript_a_name_of_a_source_leads_to_its_entry(open_page):
    page = open_page("09_relative_bias.html", java_script_enabled=False)
    page.locator("a.source", has_text="were mended").click()
    entry = page.locator(f"#{page.url.partition('#')[2]}")
    assert entry.inner_text() == "The wrong sign: attention-gym 86 (2024)"
    assert 0 < entry.bounding_box()["y"] < 900


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_all_names_of_sources_are_on_the_page_and_lead_to_an_entry(site, path):
    page = (site / f"{path.stem}.html").read_text()
    names = re.findall(r'<a class="source" href="#([^"]*)">', page)
    marked = site_sources.mark(nbformat.read(path, as_version=4))
    of_glossary = re.findall(r'<a class="term"[^>]*>([^<]*)</a>', page)  # it was first
    left = [name for name in marked if name not in of_glossary]
    assert len(left) <= len(names) <= len(marked) and len(marked) - len(names) <= 1
    assert all(page.count(f'id="{name}"') == 1 for name in names)


def test_the_values_are_those_of_a_run(site):
    told = json.loads((site / "_static" / "00_start_here" / "claims.json").read_text())
    softmax = 2.718281828459045 ** (2 / 2**0.5)
    (weight,) = [claim["value"] for claim in told if claim["words"] == "more than half of its weight"]
    assert weight == pytest.approx(softmax / (1 + softmax + 2.718281828459045 ** (1 / 2**0.5)))


def notebook_of(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source) for source in sources])


@pytest.mark.parametrize(
    "source, words, marked",
    [
        ("The turn is 92° here.", "turn is 92°", "The [turn is 92°] here."),
        ("So $a = 3$ holds.", "a = 3", "So [$a = 3$] holds."),
        ("**At least 3 of them**, yes.", "At least 3", "**[At least 3] of them**, yes."),
        ("We see *all* three, *too*.", "*all* three", "We see [*all* three], *too*."),
        ("**See three** words.", "three** words", "[**See three** words]."),
        ("# Three words", "Three words", None),
        ("`three` and [three](x.md)\n\n$$three$$\n\n```\nthree\n```", "three", "[`three`]"),
        ("<summary>In three</summary> three", "three", "<summary>In three</summary> [three]"),
    ],
)
def test_a_claims_words_are_marked_where_they_stand(source, words, marked):
    notebook = notebook_of(source)
    lost = site_claims.marked(notebook, [{"cell": 0, "words": words, "value": 3.0}])
    before, after = '<a class="claim" href="#cell-0" title="3 · computed for this page">', "</a>"
    if marked is None:
        assert lost == [words] and notebook.cells[0].source == source
    else:
        made = notebook.cells[0].source
        assert not lost and made.replace(before, "[").replace(after, "]").startswith(marked)
        assert made.replace(before, "").replace(after, "") == source


@pytest.mark.parametrize(
    "source, place",
    [
        ('n = 2\nclaim("both", n)', "cell-1-2"),
        ('claim(\n    "both",\n    n,\n)', "cell-1-2"),
        ('for words in ("none", "both"):\n    claim(words, n)', "cell-1-1"),
        ('claim(f"{name}", n)', "cell-1"),
    ],
)
def test_a_claim_leads_to_the_line_that_has_its_words(source, place):
    notebook = notebook_of("Of both.")
    notebook.cells.append(nbformat.v4.new_code_cell(source))
    assert not site_claims.marked(notebook, [{"cell": 1, "words": "both", "value": 2.0}])
    assert f'Of <a class="claim" href="#{place}"' in notebook.cells[0].source


@pytest.mark.parametrize(
    "source, code",
    [
        ('n = [1]\nclaim("both", len(n))', "len(n)"),
        ('some = [1]\nn = len(some)\nclaim("both", n)', "len(some)"),  # a name alone says little
        ('n = []\nn.append(len(some))\nclaim("both", n)', ""),  # says only where the value is kept
        ('n = len(some)\nn = n + 1\nclaim("both", n)', ""),
        ('claim("both", [-some[2][1], n.most["a", 1:]])', ""),
        ('claim("both", some[1] / 2)', "some[1] / 2"),
        ('claim(\n    "both",\n    max(\n        a,\n        b,\n    ),\n)', "max( a, b, )"),
        (
            'claim("both", [x**2 * y_1["a"] for x in `many`])'.replace("`", ""),
            '[x**2 * y_1["a"] for x in many]',
        ),
        ('claim("both", ' + "+".join("abcdefghij" * 4) + ")", "+".join("abcdefghij" * 4)),
        ('for words in ("none", "both"):\n    claim(words, n)', ""),
    ],
)
def test_a_claim_says_of_what_it_has_the_value(source, code):
    notebook = notebook_of("Of both, **2** `x`.")
    notebook.cells.append(nbformat.v4.new_code_cell(source))
    claim = {"cell": 1, "words": "both", "value": 2.0}
    assert site_claims.code_of(notebook, claim) == code and not site_claims.marked(notebook, [claim])
    link, after = notebook.cells[0].source.split(">both</a>")
    title = html.unescape(re.search('title="([^"]*)"', link)[1])
    assert title == f"2 · computed {f'by {code}' if code else 'for this page'}"
    assert after == ", **2** `x`." and not set(link.partition("title=")[2]) & set("*_`$[]")


def test_of_two_places_the_nearest_is_marked_and_none_twice():
    notebook = notebook_of("five", "no", "five, five")
    claims = [{"cell": 1, "words": "five", "value": 5.0}, {"cell": 2, "words": "five", "value": 5.0}]
    assert not site_claims.marked(notebook, [*claims, claims[1]])
    assert [cell.source.count("<a ") for cell in notebook.cells] == [1, 0, 2]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nearly_all_claims_of_a_notebook_are_marked(site, path):
    told = site / "_static" / path.stem / "claims.json"
    if not told.exists():
        pytest.skip("not recorded here")
    claims = json.loads(told.read_text())
    notebook = nbformat.read(path, as_version=4)
    lost = site_claims.marked(notebook, claims)
    assert len(claims) >= 5 and len(lost) <= len(claims) / 5
    page = (site / f"{path.stem}.html").read_text()
    assert page.count('class="claim"') == len(claims) - len(lost)
    assert all(f'id="cell-{claim["cell"]}"' in page for claim in claims)
