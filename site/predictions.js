// Predictions that are made before the answer shows: one of the answers below a question is chosen; then its
// own text opens, and what follows on the page. Which is right shows when it is chosen, or asked for. Choices stay in
// this browser. Without JavaScript the answers are the folds that they are in the notebook, and nothing is hidden.

import { element } from './live_figures/recording.js'

// In localStorage: {last: the page that was read last, page: {of, chosen: {question: answer}, first, at}}; first: as
// chosen, what was chosen first; at: the section that was read last, {id, number}, "" of one without a number.
const KEPT = 'predictions'
const OPENED = 'predictions-opened' // {page: [question that a link has opened, …]}
const SKIP = 'predictions-skip' // true where the reader does not want to be asked
const CHOSEN = 'prediction-chosen' // an event: a choice was kept
const TURNED = 'prediction-turned' // an event: a question waits, or no longer
const page = location.pathname.split('/').pop().replace(/\.html$/, '')

/** What the address names on this page. */
export const named = () => document.getElementById(decodeURIComponent(location.hash.slice(1)))

/** Those folds that are closed in which a part of the page lies, or which are its own. */
export function closedFolds(part) {
    const folds = [...part.querySelectorAll(':scope > .door, :scope > details.hide')]
    for (; part; part = part.parentElement) if (part.matches('details')) folds.push(part)
    return folds.filter(fold => !fold.open)
}

/** What this browser keeps for the key, or {}. storage: or 'sessionStorage', which ends with the tab. */
export function kept(key, storage = 'localStorage') {
    try {
        return JSON.parse(window[storage].getItem(key)) ?? {}
    } catch {
        return {} // a browser that keeps nothing
    }
}

/** Keep a value for the key. */
export function keep(key, value, storage = 'localStorage') {
    try {
        window[storage].setItem(key, JSON.stringify(value))
    } catch {
        // then it lasts as long as the page
    }
}

const asked = [] // [question, answer, …] of each

/**
 * Put on the page what paper has more: the hints below the exercises, and at the end what the answers of questions
 * say, and the solutions. Beside a question stand its choices and where its answers are, and a task with a fold
 * below it, or an exercise, has only its question and room to write. Returns what was put there.
 */
export function printedParts() {
    const tasks = [...document.querySelectorAll('article details')].filter(isOfTask)
    const questions = [...asked, ...tasks.map(fold => [fold.previousElementSibling, fold])]
    const isBefore = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING
    questions.sort(([one], [other]) => (isBefore(one, other) ? -1 : 1))
    const answers = questions.map(([block, ...others]) => [sectionOf(block), ...[block, ...others].map(copyOf)])
    const covers = []
    for (const [block, ...others] of questions) {
        let last = others.at(-1)
        if (block.matches('p')) {
            block.classList.add('printed-room') // a task, whose fold is not seen
            covers.push((last = element('p', {})))
            block.after(last)
        }
        last.dataset.place = sectionOf(block)
    }
    const folds = [...document.querySelectorAll('#exercises > details')]
    const exercises = folds.map(fold => [exerciseOf(fold), copyOf(fold)])
    for (const fold of [...tasks, ...folds]) fold.classList.add('printed-below') // copies are seen
    for (const fold of document.querySelectorAll('#exercises > :not(details) + details')) {
        let part = fold.previousElementSibling
        while (part.matches('[class*=tag_check-]')) part = part.previousElementSibling // it is not seen
        part.classList.add('printed-room')
    }
    for (const number of document.querySelectorAll('#exercises > p > strong:first-child'))
        number.classList.toggle('printed-number', isNumber(number))
    const isHint = ([, fold]) => fold.querySelector('summary').textContent.startsWith('Hint')
    const hints = printedPart('printed-hints', 'Hints', exercises.filter(isHint))
    const atEnd = [
        ...printedPart('printed-answers', 'What the answers say', answers),
        ...printedPart('printed-solutions', 'Solutions', exercises.filter(each => !isHint(each))),
    ]
    document.querySelector('#exercises')?.append(...hints)
    document.querySelector('#sources')?.before(...atEnd) // for a few sources the last sheet has room
    return [...covers, ...hints, ...atEnd]
}

// A part with a heading wherever another place begins. parts: [[what the place is called, element, …], …], whose
// elements stand on one sheet.
function printedPart(name, title, parts) {
    if (!parts.length) return []
    const isNext = (place, n) => place && place !== parts[n - 1]?.[0]
    const said = parts.map(([place, ...elements], n) => {
        const heading = isNext(place, n) ? [element('h3', {}, place)] : []
        return element('div', { class: 'printed-together' }, ...heading, ...elements)
    })
    return [element('section', { class: `printed-part ${name}` }, element('h2', {}, title), ...said)]
}

function copyOf(part) {
    const copy = part.cloneNode(true)
    copy.hidden = false
    delete copy.dataset.place
    copy.classList.remove('prediction-answer', 'printed-room')
    copy.classList.toggle('printed-right', isRight(part) || isOfTask(part))
    return copy
}

// Whether a fold answers the question that ends the paragraph above it, and is no prediction's or exercise's.
function isOfTask(fold) {
    const above = fold.previousElementSibling
    const isOfOthers = fold.matches('.prediction-answer') || fold.closest('#exercises, .printed-part')
    return !isOfOthers && above?.matches('p') && above.textContent.trim().endsWith('?')
}

// "Section 2", or the heading of the section of "Going deeper" that a question stands in.
function sectionOf(block) {
    const number = numberOf(block)
    if (number) return `Section ${number}`
    const heading = block.closest('section')?.querySelector('h2, h3').cloneNode(true)
    heading?.querySelector('.headerlink')?.remove()
    return heading?.textContent.trim()
}

// "Exercise 2", whose hint or solution this fold is.
function exerciseOf(fold) {
    const start = startOf(fold)
    return start && `Exercise ${parseInt(numberIn(start))}`
}

// The paragraph that the exercise of this part begins with.
function startOf(part) {
    while (part && !numberIn(part)) part = part.previousElementSibling
    return part
}

const isNumber = part => /^\d+\.$/.test(part.textContent)
const numberIn = part => [...part.querySelectorAll(':scope > strong')].find(isNumber)?.textContent

// Who comes from the search to words that wait, or from a word of the course, looks for them: in that section nothing waits.
const isSought = block =>
    new URLSearchParams(location.search).has('open') && !!named()?.closest('section')?.contains(block)

/** Let each question of the page ask. */
export function startPredictions() {
    const questions = questionsIn(document)
    if (!questions.length) return
    const here = kept(KEPT)[page]?.chosen ?? {}
    const counted = questions.filter(block => !block.closest('#going-deeper'))
    const right = counted.map(block => answersOf(block).findIndex(isRight))
    questions.forEach((block, n) => ask(block, n, here[n], counted.length))
    remember(counted.length)
    if (!document.querySelector('.slides')) keepPlace()
    keepScore(right)
    keepEnd(questions)
}

// Where the reader is when the page is left: the landing page leads back there. Who has not passed the first section
// has only looked.
function keepPlace() {
    const headings = [...document.querySelectorAll('.bd-article section > h2')]
    function leave() {
        const n = headings.findLastIndex(heading => heading.getBoundingClientRect().top < innerHeight / 2)
        if (n < 0) return
        const all = kept(KEPT)
        const at = { id: headings[n].parentElement.id, number: numberOf(headings[n]) ?? '' }
        keep(KEPT, { ...all, [page]: { ...all[page], at }, last: n > 0 ? page : all.last })
    }
    addEventListener('pagehide', leave)
    document.addEventListener('visibilitychange', () => document.hidden && leave())
}

// Below "What you saw": how many of the page's predictions were right at once, and after other tries.
function keepScore(right) {
    const score = element('p', { class: 'prediction-score' })
    document.querySelector('#what-you-saw > h2')?.after(score)
    function say() {
        const { chosen = {}, first = {} } = kept(KEPT)[page] ?? {}
        const made = right.filter((_, n) => n in chosen).length
        const [atOnce, so] = [{ ...chosen, ...first }, chosen].map(these => right.filter((k, n) => these[n] === k).length)
        const later = so > atOnce ? ` at once, ${so} in the end` : ''
        const rest = right.length > made ? `, ${right.length - made} not made yet` : ''
        score.textContent = `Your predictions: ${atOnce} of ${right.length} right${later}${rest}.`
        score.hidden = !made
    }
    addEventListener(CHOSEN, say)
    say()
}

// "What you saw" says what the questions before it show: it waits for all of them, or for who asks for it.
function keepEnd(questions) {
    const heading = document.querySelector('#what-you-saw > h2')
    const before = questions.filter(block => heading?.compareDocumentPosition(block) & Node.DOCUMENT_POSITION_PRECEDING)
    if (!before.length) return
    const veil = element('div', { class: 'prediction-veil' }, ...followers([heading]))
    const link = element('a', {})
    const button = element('button', { type: 'button' }, 'Show it')
    heading.after(element('p', { class: 'prediction-before' }, 'What you saw waits for ', link, ' above. ', button), veil)
    let isWanted = false
    function turn() {
        const waiting = before.filter(block => block.matches('.prediction-waits'))
        if (isWanted || !waiting.length) return veil.removeAttribute('hidden')
        veil.setAttribute('hidden', 'until-found')
        link.href = `#${waiting[0].id}`
        link.textContent = `${waiting.length} of ${before.length} predictions`
    }
    function show() {
        isWanted = true
        turn()
    }
    const openNamed = () => named()?.closest('#what-you-saw') && show()
    button.addEventListener('click', () => {
        show()
        const first = veil.querySelector(':scope > :not([hidden])')
        first.tabIndex = -1 // what was pressed is gone
        first.focus({ preventScroll: true })
    })
    veil.addEventListener('beforematch', show)
    addEventListener('hashchange', openNamed)
    addEventListener(TURNED, turn)
    turn()
    openNamed()
}

function remember(of, n, answer) {
    const all = kept(KEPT)
    const { chosen = {}, first = {} } = all[page] ?? {}
    if (n !== undefined) {
        first[n] ??= chosen[n] ?? answer
        chosen[n] = answer
    }
    keep(KEPT, { ...all, [page]: { ...all[page], of, chosen, first }, last: n === undefined ? all.last : page })
    dispatchEvent(new Event(CHOSEN))
}

const openedHere = () => kept(OPENED)[page] ?? []

function rememberOpened(n, isOpened) {
    const all = openedHere()
    if (all.includes(n) === isOpened) return
    keep(OPENED, { ...kept(OPENED), [page]: isOpened ? [...all, n] : all.filter(other => other !== n) })
}

const questionsIn = part =>
    [...part.querySelectorAll('blockquote')].filter(
        block => block.querySelector('strong')?.textContent === 'Predict.' && answersOf(block).length,
    )

function answersOf(block) {
    const found = []
    for (let next = block.nextElementSibling; next?.matches('details:not(.hide)'); next = next.nextElementSibling)
        found.push(next)
    return found
}

// The words of an answer that are seen while it is folded.
const saidOf = answer => [...answer.querySelector('summary').childNodes].map(node => node.cloneNode(true))

// Why a right answer is right: what it says, without its "Yes", and with none of its links, which are its own.
function reasonOf(answer) {
    const parts = [...answer.querySelectorAll(':scope > summary ~ *')].map(part => part.cloneNode(true))
    const first = document.createTreeWalker(parts[0], NodeFilter.SHOW_TEXT).nextNode()
    first.data = first.data.replace(/^\s*Yes[.,:;]?\s*/, '').replace(/^\p{Ll}/u, letter => letter.toUpperCase())
    for (const link of parts.flatMap(part => [...part.querySelectorAll('a')])) link.replaceWith(...link.childNodes)
    return parts
}

const isRight = answer => !!answer.querySelector('summary ~ *')?.textContent.trim().startsWith('Yes')

// What comes after the answers in their section, later questions, too, as far as a part with a heading of its own
// that asks one.
function followers(answers) {
    const found = []
    const isEnd = part => part.matches('h2, h3, section:has(> h2)') || (part.matches('section') && questionsIn(part).length)
    let next = answers.at(-1).nextElementSibling
    for (; next && !isEnd(next); next = next.nextElementSibling) found.push(next)
    return found
}

// The number of the section that a question stands in, where that has one.
const numberOf = block => block.closest('section:has(> h2)')?.querySelector('h2').textContent.match(/^\d+(?=\. )/)?.[0]

// What stands in place of the text that waits for the answer: without it a section seems to end at its question.
function restOf(block) {
    const number = numberOf(block)
    return number ? `The rest of section ${number} opens here` : 'The rest opens here'
}

// Who comes to the next section all the same is told that something of the one before waits, as long as it does.
function sayBelow(block) {
    const section = block.closest('section:has(> h2)')
    const number = numberOf(block)
    const heading = section?.nextElementSibling?.querySelector(':scope > h2')
    if (!number || !heading || heading.nextElementSibling.matches('.prediction-before')) return
    if (heading.parentElement.id === 'what-you-saw') return // which waits itself
    const link = element('a', { href: `#${block.id}` }, 'answer above')
    const first = () => section.querySelector('.prediction-waits')
    link.addEventListener('click', () => (link.hash = (first() ?? block).id))
    heading.after(element('p', { class: 'prediction-before' }, `The rest of section ${number} waits for your `, link, '.'))
}

function ask(block, n, before, of) {
    const answers = answersOf(block)
    const veil = element('div', { class: 'prediction-veil' })
    const hidden = followers(answers)
    if (hidden.length) {
        hidden[0].before(veil)
        veil.append(...hidden)
    }
    const form = element('form', { class: 'prediction', novalidate: '' })
    const set = element('fieldset', {}, element('legend', {}, 'Choose; then you see what happens.'))
    asked.push([block, ...answers])
    answers.forEach((answer, k) => {
        answer.classList.add('prediction-answer') // on paper the choice alone
        const input = element('input', { type: 'radio', name: `prediction-${n}`, value: k, required: '' })
        set.append(element('label', {}, input, element('span', {}, ...saidOf(answer))))
    })
    const decide = element('button', { type: 'submit' }, 'This is my answer')
    const skip = element('button', { type: 'button' }, 'Go on without')
    const never = element('button', { type: 'button' }, 'Always show answers at once')
    const missing = element('p', { class: 'prediction-missing', role: 'status' })
    form.append(set, missing, element('p', { class: 'prediction-buttons' }, decide, skip, never))
    if (hidden.length) form.append(element('p', { class: 'prediction-rest' }, restOf(block)))
    block.id ||= `prediction-${n}`
    set.setAttribute('aria-labelledby', block.id)
    if (hidden.length) sayBelow(block)
    answers[0].before(form)

    const result = element('div', { class: 'prediction-result', tabindex: -1 }) // it is read when it gets the focus
    const again = element('button', { type: 'button' }, 'Try again')
    const see = element('button', { type: 'button' }, 'See what happens')
    const tell = element('button', { type: 'button' }, 'Show the answer')
    const others = element('button', { type: 'button' }, 'All answers')
    const opened = element('span', { class: 'prediction-opened' }, 'Opened by the link.')
    const buttons = element('p', { class: 'prediction-buttons' }, again, see, tell, others, opened)
    answers.at(-1).after(buttons)
    form.after(result)

    const right = answers.find(isRight)
    let chosen = null // the number of the reader's answer

    // isWaiting: for an answer; isFolded: what follows, which may say the right one
    function turn(isWaiting, isFolded = isWaiting) {
        if (isFolded) veil.setAttribute('hidden', 'until-found')
        else veil.removeAttribute('hidden')
        form.hidden = true
        block.classList.toggle('prediction-waits', isWaiting)
        dispatchEvent(new Event(TURNED))
    }

    // The reader's answer alone, opened, and what happens: below a wrong one only when that is asked for, `isSeen`, or
    // the right one, `isTold`, as it might say which that is. The others show when it is right, or when they are asked for.
    function show(k, isTold, isSeen = isTold) {
        const isSo = answers[k] === right
        chosen = k
        turn(false, !isSo && !isSeen)
        see.hidden = isSo || isSeen || !hidden.length
        answers.forEach((answer, at) => {
            answer.open = at === k
            answer.hidden = !isSo && at !== k
            answer.classList.toggle('prediction-chosen', at === k)
        })
        right.classList.toggle('prediction-right', isSo)
        const wrong = isTold ? ['No. The right answer: “', ...saidOf(right), '”'] : ['No, that is not right.']
        const said = isSo ? ['Yes, that is right.'] : wrong
        if (isTold) buttons.before(result) // below the reader's own
        else form.after(result)
        result.replaceChildren(element('p', {}, ...said), ...(isTold && !isSo ? reasonOf(right) : []))
        buttons.hidden = again.hidden = isSo
        tell.hidden = isTold
        others.hidden = !isTold
        opened.hidden = true
        again.textContent = isTold ? 'Ask me again' : 'Try again'
    }

    function wait() {
        chosen = null
        turn(true)
        form.hidden = false
        missing.textContent = ''
        result.textContent = ''
        buttons.hidden = true
        right.classList.remove('prediction-right')
        for (const answer of answers) answer.hidden = true
    }

    // byLink: the reader came here by an address, and may not have been asked.
    function showAll(byLink = false) {
        turn(false)
        rememberOpened(n, byLink)
        opened.hidden = !byLink
        for (const answer of answers) answer.hidden = false
        right.open = true
        right.classList.add('prediction-right')
        result.textContent = ''
        buttons.hidden = again.hidden = false
        again.textContent = chosen === null ? 'Ask me first' : 'Ask me again'
        see.hidden = tell.hidden = others.hidden = true
    }

    form.addEventListener('submit', event => {
        event.preventDefault()
        const checked = new FormData(form).get(`prediction-${n}`)
        if (checked === null) {
            missing.textContent = 'Choose one first.'
            set.querySelector('input').focus() // who came by keys need not go back
            return
        }
        const k = Number(checked)
        remember(of, n, k)
        show(k, false)
        result.focus({ preventScroll: true }) // on the summary, Space would shut the answer again
    })
    // What was pressed goes, and the focus would be lost with it.
    function goOn() {
        showAll()
        answers[0].querySelector('summary').focus()
    }
    form.addEventListener('change', () => (missing.textContent = ''))
    skip.addEventListener('click', goOn)
    never.addEventListener('click', () => {
        keep(SKIP, true)
        dispatchEvent(new Event('predictions-skip'))
        goOn()
    })
    again.addEventListener('click', () => {
        keep(SKIP, false)
        rememberOpened(n, false)
        form.reset() // what is known to be wrong is not chosen
        wait()
        form.querySelector('input').focus()
    })
    see.addEventListener('click', () => {
        show(chosen, false, true)
        hidden[0].tabIndex = -1 // what was pressed is gone
        hidden[0].focus({ preventScroll: true })
    })
    tell.addEventListener('click', () => {
        show(chosen, true)
        result.focus({ preventScroll: true })
    })
    others.addEventListener('click', goOn)
    const openNamed = () => veil.contains(named()) && veil.hasAttribute('hidden') && showAll(true)
    // the browser goes to what a link names, or its search found something
    veil.addEventListener('beforematch', () => showAll(veil.contains(named())))
    addEventListener('hashchange', openNamed)
    addEventListener('predictions-skip', () => showAll())

    if (before in answers) show(before, false)
    else if (kept(SKIP) === true || isSought(block) || openedHere().includes(n)) showAll(kept(SKIP) !== true)
    else wait()
    openNamed()
}

/**
 * On the landing page: a link to the section that the reader left; where all is answered, or all was read without
 * being asked, to the notebook after that. No link for who has only looked. In the table how many predictions were
 * made in each.
 */
export function startContinue(link) {
    const all = kept(KEPT)
    const last = all[all.last]
    if (!last) return
    const count = ({ of = 0, chosen = {} } = {}) => Object.keys(chosen).filter(n => n < of).length
    const isAsked = kept(SKIP) !== true
    const notebooks = [...document.querySelectorAll('table a')].filter(other => /^\d\d_\w+\.html$/.test(other.getAttribute('href')))
    for (const other of isAsked ? notebooks : []) {
        const its = all[other.getAttribute('href').slice(0, -5)]
        const made = count(its)
        if (!made) continue
        const told = `${made === its.of ? '✓ ' : ''}${made} of ${its.of}`
        other.after(' ', element('span', { class: 'hero-made', title: 'predictions made' }, told))
    }
    const { id = '', number = '' } = last.at ?? {}
    const made = isAsked ? count(last) : 0
    const next = notebooks[notebooks.findIndex(other => other.getAttribute('href') === `${all.last}.html`) + 1]
    const isDone = next && (made === last.of || (!isAsked && id && !number))
    const place = made ? `${made} of ${last.of} predictions` : number ? `section ${number}` : 'the end'
    link.href = isDone ? next.href : `${all.last}.html${id && `#${id}`}`
    link.textContent = isDone
        ? `Go on with ${next.getAttribute('href').slice(0, 2)} · ${next.textContent}`
        : `Continue at ${all.last.slice(0, 2)} · ${place}`
    link.hidden = !made && !(id && number !== '1')
}
