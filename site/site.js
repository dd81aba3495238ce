// The live figures of the site: recordings that begin when a reader comes near them. And its doors.

import { play } from './live_figures/page.js'
import { startClaims } from './claims.js'
import { startContents } from './contents.js'
import { keepFitting } from './formulas.js'
import { closedFolds, keep, kept, named, printedParts, startContinue, startPredictions } from './predictions.js'
import { element, mount } from './live_figures/recording.js'
import { startSearch, startTyped } from './search.js'
import { startWords } from './words.js'

const root = document.documentElement
// Where the narrow picture is shown: on a phone, and on a page, which has the controls beside it, where the phone lies.
const LYING = document.querySelector('.slides') ? '' : ', (max-width: 960px) and (max-height: 480px)'
const SMALL = `(max-width: 599px)${LYING}`

async function start(figure) {
    if (figure.dataset.isLive) return
    figure.dataset.isLive = true
    const { recording, narrow, colab } = figure.dataset
    try {
        const kernel = colab ? { name: 'Colab', address: colab } : null
        if (await mount(figure, recording, play, kernel, narrow, SMALL)) figure.scrollIntoView()
        linkNames(figure)
    } catch (error) {
        const again = element('button', { type: 'button' }, 'Try again')
        const problem = element('p', { role: 'alert' }, `The sliders could not be loaded: ${error.message} `, again)
        const retry = () => {
            removeEventListener('online', retry)
            problem.remove()
            delete figure.dataset.isLive
            start(figure)
        }
        again.addEventListener('click', retry)
        addEventListener('online', retry) // the network is back
        for (const still of figure.querySelectorAll('img')) still.hidden = still.complete && !still.naturalWidth
        figure.append(problem)
    }
}

// Where its section says to press a button of a figure, the button's name presses it, and points it out.
function linkNames(figure) {
    const named = text => [...figure.querySelectorAll('.live-tour button[aria-pressed]')].find(it => it.textContent === text)
    for (const name of figure.closest('section')?.querySelectorAll('p em:not(.paper-words *)') ?? []) {
        const isOrder = /\b[Pp]ress\b/.test(name.closest('p').textContent)
        if (!isOrder || !named(name.textContent) || name.querySelector('button')) continue
        const button = element('button', { type: 'button', class: 'live-named' }, ...name.childNodes)
        const point = isOn => named(button.textContent)?.classList.toggle('live-pointed', isOn)
        for (const event of ['pointerenter', 'focus']) button.addEventListener(event, () => point(true))
        for (const event of ['pointerleave', 'blur']) button.addEventListener(event, () => point(false))
        button.addEventListener('click', () => {
            named(button.textContent)?.click()
            figure.querySelector('.live-stage').scrollIntoView({ block: 'nearest' })
        })
        name.append(button)
    }
}

// Each section of "Going deeper" is folded; an address that names it, or a thing in it, opens it.
for (const part of document.querySelectorAll('#going-deeper > section')) {
    const summary = element('summary', {})
    summary.append(part.querySelector(':scope > h3'))
    const door = element('details', { class: 'door' })
    door.append(summary, ...part.childNodes)
    part.append(door)
    markReaders(door)
}

// Back finds the doors as they were left; who comes anew finds them closed.
const doors = [...document.querySelectorAll('.door')]
const OPEN = `doors ${location.pathname}` // in sessionStorage: [number of an open door, …]
addEventListener('pagehide', () => keep(OPEN, [...doors.keys()].filter(n => doors[n].open), 'sessionStorage'))
if (performance.getEntriesByType('navigation')[0]?.type === 'back_forward')
    for (const n of Object.values(kept(OPEN, 'sessionStorage'))) if (doors[n]) doors[n].open = true

// A word of the course leads to where it is introduced, which does not wait for an answer.
for (const link of document.querySelectorAll('article dd a[href*=".html#"]')) link.search = 'open'

// For whom it is and how long it takes, which on paper stands on a line of its own: "For readers who …; 6 minutes."
function markReaders(door) {
    const first = door.querySelector(':scope > p')
    for (const text of first?.childNodes ?? []) {
        const end = text.nodeType === Node.TEXT_NODE ? text.data.search(/(?<=; \d+ minutes\.)/) : -1
        if (end < 0) continue
        const said = document.createRange()
        said.setStart(first, 0)
        said.setEnd(text, end)
        said.surroundContents(element('span', { class: 'door-readers' }))
        return
    }
}

// When they are pressed, the theme takes the focus from its buttons, with the names that it shows beside them. Who
// came by keys would begin at the top of the page again.
for (const button of document.querySelectorAll('.theme-switch-button, .search-button, .sidebar-toggle'))
    button.blur = () => button.matches(':focus-visible') || HTMLElement.prototype.blur.call(button)
for (const menu of document.querySelectorAll('.theme-switch-container > .dropdown-menu'))
    menu.addEventListener('click', ({ detail }) => detail || menu.previousElementSibling.focus()) // chosen by Enter

// The landing page has no field of the search: its button says what it is and by which keys it opens.
if (document.querySelector('.hero')) {
    const button = document.querySelector('.search-button')
    const keys = document.querySelector('.search-button__kbd-shortcut')?.cloneNode(true)
    keys?.classList.add('search-named')
    button?.append(element('span', { class: 'search-named' }, 'Search'), keys ?? '')
}

// Those who listen hear whether a list at the side is open.
for (const kind of ['primary', 'secondary']) {
    const button = document.querySelector(`.bd-main .${kind}-toggle`)
    const [list, dialog] = ['', '-modal'].map(form => document.querySelector(`#pst-${kind}-sidebar${form}`))
    if (!button || !list || !dialog) continue
    const isShown = () => dialog.open || list.checkVisibility({ visibilityProperty: true })
    const tell = () => button.setAttribute('aria-expanded', isShown())
    const changes = new MutationObserver(tell)
    for (const part of [list, dialog]) changes.observe(part, { attributes: true, attributeFilter: ['class', 'open'] })
    list.addEventListener('transitionend', tell)
    addEventListener('resize', tell)
    tell()
}

// In the list of pages the one that is read is in sight, whole, below the field of the search. The theme scrolls first.
function showEntry() {
    const list = document.querySelector('.bd-sidebar-primary')
    const entry = list?.querySelector('.toctree-l1.current > a')
    const field = list?.querySelector('.sidebar-primary-item:has(.search-button-field)')
    if (!entry || !field) return
    if (entry.getBoundingClientRect().top < field.getBoundingClientRect().bottom) list.scrollTop = 0
    const { bottom, height } = entry.getBoundingClientRect()
    list.scrollTop += Math.max(0, bottom + height - list.getBoundingClientRect().bottom)
    const edge = field.getBoundingClientRect().bottom
    const boxes = [...list.querySelectorAll('.toctree-l1 > a')].map(other => other.getBoundingClientRect())
    const sliced = boxes.find(({ top, bottom }) => top < edge && bottom > edge) // by the field: it is shown whole
    if (!sliced) return
    const hasRoom = entry.getBoundingClientRect().bottom + edge - sliced.top <= list.getBoundingClientRect().bottom
    list.scrollTop += hasRoom ? sliced.top - edge : sliced.bottom - edge // or not at all
}
document.addEventListener('DOMContentLoaded', showEntry)

// What the address names is seen: its door, the folds that it lies in, and a cell's own. A line of code, to which
// a claim leads, gets the focus, too.
function openNamed() {
    const place = named()
    if (!place) return
    const closed = closedFolds(place)
    for (const fold of closed) fold.open = true
    const isLine = place.matches('pre > span')
    if (isLine) {
        place.tabIndex = -1
        place.focus({ preventScroll: true })
    }
    if (closed.length || isLine) place.scrollIntoView({ block: isLine ? 'center' : 'start' })
}

// A picture that leads to itself opens above the page, as large as the screen if slides have it so, else in its full
// size. Escape, the button or a tap leads back to it.
const close = element('button', { type: 'button' }, 'Close')
const zoom = element('dialog', { class: 'zoom', 'aria-label': 'Picture, large' })
zoom.addEventListener('click', () => zoom.close())
// Its button is all there is: the next stop would be the browser's own, where Escape does not close it.
zoom.addEventListener('keydown', event => event.key === 'Tab' && event.preventDefault())
document.addEventListener('click', event => {
    const link = event.target.closest('a:has(> picture)')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return // it opens elsewhere
    event.preventDefault()
    const next = link.nextElementSibling
    const isWhole = !phone.matches && next?.matches(".on-paper[src*='-slide']")
    zoom.replaceChildren(close, element('img', { src: isWhole ? next.src : link.href, alt: link.querySelector('img').alt }))
    zoom.classList.toggle('zoom-whole', Boolean(isWhole))
    link.after(zoom) // as light or dark as there
    zoom.showModal()
})

// A button of a figure that is tapped has the focus in every browser, and its row stays in reach on a phone.
document.addEventListener('click', ({ target }) => {
    const button = document.querySelector('.slides') ? null : target.closest('.live-tour button')
    button?.focus({ preventScroll: true })
})

// On a phone the control that has the focus stays in sight above the picture, when all controls have left the screen:
// before that it would cover one of the others. Above a picture that is as high as the screen, the first slider does.
const bar = document.querySelector('.bd-header-article') // slides have none
const small = matchMedia(`(max-width: 720px)${LYING}`) // where site.css keeps it
function keepControl() {
    if (!bar || !small.matches) return
    const edge = root.classList.contains('bar-away') ? 0 : bar.offsetHeight
    for (const stage of document.querySelectorAll('.live-stage')) {
        const seen = stage.getClientRects().length ? stage : stage.firstElementChild // beside the controls it has no box
        const { top, height } = seen.getBoundingClientRect()
        stage.parentElement.classList.toggle('controls-passed', top <= edge)
        stage.parentElement.classList.toggle('picture-high', height > innerHeight)
    }
}
for (const event of ['scroll', 'resize', 'focusin']) addEventListener(event, keepControl, { passive: true })

// On a small screen the page's bar makes room for who reads on, and comes back for who scrolls up.
const low = matchMedia('(max-width: 720px), (max-height: 480px)') // where site.css moves it
const BACK = 60 // pixels that a reader scrolls up on purpose
let highest = scrollY // where the reader last turned round
let lowest = scrollY
function moveBar() {
    const isAway = root.classList.contains('bar-away')
    if (isAway) lowest = Math.max(lowest, scrollY)
    else highest = Math.min(highest, scrollY)
    const goes = !isAway && low.matches && scrollY > highest + bar.offsetHeight
    if (!goes && !(isAway && (scrollY < lowest - BACK || scrollY <= 0))) return
    root.classList.toggle('bar-away', goes)
    highest = lowest = scrollY
}
const letters = document.querySelector('.letters') // of the glossary, which stand below it
if (bar && !letters) addEventListener('scroll', moveBar, { passive: true })

// On a phone a long line of code goes on below itself, two letters further in than it begins: each has its own box.
const phone = matchMedia('(max-width: 599px)')
const CODE = '.bd-article :is(.cell_input, .highlight-python) pre:not(:has(> .code-line))'
function partLines() {
    for (const code of phone.matches ? document.querySelectorAll(CODE) : []) {
        const lines = code.querySelector(':scope > [id]') ? [...code.querySelectorAll(':scope > [id]')] : linesOf(code)
        for (const line of lines) {
            line.classList.add('code-line')
            const indent = line.textContent.search(/\S|$/)
            line.style.setProperty('--indent', `${indent}ch`)
            partWords(line, indent)
            const comment = line.querySelector('.c1')
            comment?.classList.toggle('code-comment', !line.textContent.trim().startsWith('#'))
        }
    }
}
// What has no room beside the spaces that a row begins with goes on below after a bracket, a comma or a dot, not in
// the middle of a name; it stays as it was for who copies it.
const ROW = 34 // letters of a narrow phone
function partWords(line, indent) {
    const long = [...line.textContent.matchAll(/\S+/g)].filter(([word]) => word.length > ROW - indent - 2)
    const places = long.flatMap(({ 0: word, index }) => [...word.matchAll(/(?<=[([{,=]|[^\d\W]\.|[)\]]\.)(?=\w|[([{"'-])/g)].map(it => index + it.index))
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walk.nextNode()) texts.push(walk.currentNode)
    let end = line.textContent.length
    for (const text of texts.reverse()) { // what is parted is passed
        const start = end - text.length
        for (const place of places.filter(it => it > start && it <= end).reverse()) text.splitText(place - start).before(element('wbr', {}))
        end = start
    }
}
function linesOf(code) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    const begins = []
    while (texts.nextNode())
        for (const { index } of texts.currentNode.data.matchAll(/\n/g)) begins.push([texts.currentNode, index + 1])
    const range = document.createRange()
    const lines = begins.reverse().map(begin => {
        range.setStart(...begin)
        range.setEnd(code, code.childNodes.length)
        const line = element('span', {})
        line.append(range.extractContents())
        return line
    })
    const first = element('span', {})
    first.append(...code.childNodes)
    code.append(first, ...lines.reverse().filter(line => line.textContent))
    return [...code.children]
}
partLines()
phone.addEventListener('change', partLines)

// On paper nothing is folded but the code that draws. Answers stand at the end, and a sheet says which page it is of,
// whose work that is and where it is found.
const LETTERS = 200 // begin a third line: so many of a heading's text stand on its sheet
const WHOLE = 340 // four lines: a paragraph of fewer letters is not parted
const LINES = 4 // of what code prints, at most, which stand on the sheet of the code
const SHORT_CODE = 25 // lines of code, which is not parted
const PLUMBING = 10 // lines of code that moves a figure: longer code is of no use on paper
const LOW = 350 // pixels of 985 on a sheet: what is higher may be parted, else a third of one would be empty
const WITH_CODE = 590 // code with what it shows: what is higher may be parted
const SHOWN = 280 // with a conclusion: what is higher is kept without its code
const CELL = 240 // so with code, what leads to it or follows from it, and what it shows: pages are full of these
const COMPARED = 600 // lower settings of a figure stand on one sheet: they are compared
const HIGH = 640 // what a question is about may leave more of it
const HOME = /^(localhost|127\.|\[::1\])/ // what stands there nobody else can open
const folded = []
const printed = []
const marked = 'printed-below printed-with-next printed-with-last printed-whole printed-few'.split(' ')
let theme = root.dataset.theme
addEventListener('beforeprint', () => {
    theme = root.dataset.theme
    root.dataset.theme = 'light' // paper is white
    printed.push(...printedParts())
    const article = document.querySelector('.bd-article') // slides have none
    const figures = location.protocol.startsWith('http') ? document.querySelectorAll('.live-figure') : []
    for (const figure of figures) {
        const code = codeOf(figure)
        const isLong = code.map(part => part.textContent.trim()).join('\n').split('\n').length > PLUMBING
        for (const part of code) part.classList.toggle('printed-plumbing', isLong)
    }
    for (const paper of document.querySelectorAll('.live-figure + .printed-figure')) {
        const told = paper.previousElementSibling.querySelector('p:not([role])')
        const isMoved = told?.textContent !== paper.dataset.caption // as the reader left it
        paper.classList.toggle('printed-moved', isMoved)
    }
    const title = JSON.stringify(document.title)
    const head = `@top-left { color: #555; content: ${title}; font: 9pt sans-serif }`
    const foot = `@bottom-left { color: #555; content: ${footOf(figures.length)}; font: 7.5pt sans-serif; white-space: pre }`
    printed.push(element('style', {}, `@page { ${head} ${foot} } @page :first { @top-left { content: none } }`))
    if (article) document.head.append(printed.at(-1))
    folded.push(...document.querySelectorAll('details:not([open], .hide)'))
    for (const fold of folded) {
        fold.dataset.name = fold.name // of a group one alone would stay open
        fold.name = ''
        fold.open = true
    }
    for (const link of document.querySelectorAll('.bd-article a[href^="#"]')) sayWhere(link)
    for (const heading of document.querySelectorAll('.bd-article :is(h2, h3)')) keepText(heading)
    keepNext()
    for (const formula of formulas) formula.style.setProperty('--width', widthOf(formula))
})
addEventListener('afterprint', () => {
    root.dataset.theme = theme
    for (const fold of folded.splice(0)) {
        fold.open = false
        fold.name = fold.dataset.name
    }
    for (const part of printed.splice(0)) part.remove()
    for (const name of marked)
        for (const part of document.querySelectorAll(`.${name}`)) part.classList.remove(name)
})

// The text in a sheet's foot, for a style: the course and its authors and licences, as the page's own foot says, and
// where the page is, unless nobody else can go there.
function footOf(figures) {
    const said = [...document.querySelectorAll('.component-author, .extra_footer')].map(part => part.textContent.trim())
    const lines = [[document.title.split(' — ').at(-1), ...said].join(' · ')]
    const moves = figures ? ', where its figures move' : ''
    if (location.protocol.startsWith('http') && !HOME.test(location.hostname))
        lines.push(`This page${moves}: ${location.href.split(/[?#]/)[0]}`)
    return lines.map(line => JSON.stringify(line)).join(" '\\A ' ")
}

// On paper no heading stands with a line or two of its text: what is shorter goes with what comes next.
function keepText(heading) {
    let letters = 0
    let part = (heading.closest('summary') ?? heading).nextElementSibling
    for (; part && letters < LETTERS; part = part.nextElementSibling) {
        const isText = part.matches('p, ul, ol, span:not(.katex-display)') // a formula is lines enough
        letters += isText ? lettersOf(part) : LETTERS
        part.classList.toggle('printed-with-next', letters < LETTERS)
    }
}

// The code that is seen of a figure that moves: its cell's, and that of the cell before, where that shows nothing.
function codeOf(figure) {
    const cell = figure.closest('.cell')
    const cells = [cell, cell?.matches('.cell:not(:has(.cell_output)) + *') && cell.previousElementSibling]
    return cells.flatMap(each => (each ? [...each.querySelectorAll(':scope > .cell_input')] : []))
}

// The letters that are seen; for whom a section is stands on a line of its own.
function lettersOf(part) {
    const others = [...part.querySelectorAll('.katex-mathml, .door-readers')]
    return others.reduce((sum, it) => sum - it.textContent.length, part.textContent.length)
}

// A link to a section says which: its number, or else its title.
function sayWhere(link) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    const heading = section?.querySelector(':scope > :is(h2, h3), :scope > .door > summary > :is(h2, h3)')
    if (!heading || link.matches('.headerlink, .claim')) return
    const words = heading.cloneNode(true)
    for (const other of words.querySelectorAll('.headerlink, .katex-mathml')) other.remove()
    const title = words.textContent.trim()
    const number = title.match(/^\d+(?=\. )/)?.[0]
    const place = number ? `section ${number}` : `“${title}”`
    const said = link.textContent.trim().toLowerCase()
    if ([place, title.toLowerCase()].includes(said) || said.startsWith('exercise')) return
    const isInBrackets = /\([^)]*$/.test(link.previousSibling?.data ?? '')
    printed.push(element('span', {}, isInBrackets ? `: ${place}` : ` (${place})`))
    link.after(printed.at(-1))
}

// What belongs together, as far as it leaves no sheet emptier than a third: a text that ends in a colon
// with what it announces, an exercise with its code, and what code shows with a conclusion of four lines. Where these
// are too high, they are parted. Code stands with what it shows where that is lower than six tenths of a sheet, a
// bold line with what it concludes from, and a task with what it asks about. Of four lines none goes to the next sheet.
function keepNext() {
    for (const part of document.querySelectorAll('.cell_output'))
        part.classList.toggle('printed-few', part.innerText.trim().split(/\n+/).length <= LINES)
    for (const code of document.querySelectorAll('.bd-article .cell_input'))
        code.classList.toggle('printed-whole', lengthOf(code) <= SHORT_CODE)
    for (const figure of document.querySelectorAll('.printed-figure')) {
        const height = sum(figure.querySelectorAll('.printed-row .on-paper'), it => 0.84 * it.getAttribute('height') + 6)
        figure.classList.toggle('printed-whole', height < COMPARED)
    }
    for (const part of document.querySelectorAll('.bd-article p')) {
        const letters = lettersOf(part)
        const next = beside(part, 'next')
        const announces = part.textContent.trimEnd().endsWith(':') && next?.matches('.cell, table, ul, ol, :has(> table)')
        const leads = next?.matches('.cell[class*=tag_exercise-]') && letters < WHOLE
        part.classList.toggle('printed-whole', letters < WHOLE)
        const isTask = part.querySelector(':scope > .printed-number') && next?.matches('.cell')
        const isLow = isTask && heightOf(part) + heightOf(next) < LOW
        if (announces || leads || isLow) part.classList.add('printed-with-next')
        if (isConclusion(part)) part.classList.add('printed-with-last')
        if (part.matches('.printed-room:not(#exercises *)')) keepWithTask(part)
    }
    for (const cell of document.querySelectorAll('.bd-article .cell')) {
        const last = beside(cell, 'previous')
        const isTask = cell.matches('[class*=tag_exercise-]') && last?.matches('.cell')
        const isLead = isTask || last?.matches('.printed-with-next, .cell:not(:has(.cell_output))')
        const own = heightOf(cell)
        const height = own + (isLead ? heightOf(last) : 0)
        const said = beside(cell, 'next')
        const isShown = cell.querySelector('.cell_output :is(img, table)')
        const isEnd = isShown && said?.matches('p:not(.printed-with-next, :has(+ .katex-display))') && lettersOf(said) < WHOLE
        const end = isEnd ? heightOf(said) : 0
        const kept = own > SHOWN ? own - codeHeightOf(cell) : height
        if (end && kept + end < LOW) said.classList.add('printed-with-last')
        if (!own || own > WITH_CODE) continue
        cell.classList.add('printed-whole')
        if (height + end > CELL) continue
        if (isLead) last.classList.add('printed-with-next')
    }
}

// A bold line alone, which says what the things before it show.
function isConclusion(part) {
    const bold = part.querySelector(':scope > strong:only-child')
    return bold?.textContent === part.textContent.trim() && lettersOf(part) < LETTERS
}

// From a task back to the picture or table that it asks about.
function keepWithTask(task) {
    const parts = []
    for (let part = beside(task, 'previous'); part && !part.matches('section, h2, h3'); part = beside(part, 'previous')) {
        parts.push(part)
        if (part.matches('.cell, table')) break
    }
    const height = parts.reduce((sum, part) => sum + heightOf(part), 0)
    if (parts.at(-1)?.matches('.cell, table') && height < HIGH)
        for (const part of parts) part.classList.add('printed-with-next')
}

// What is seen on paper before or behind a part.
function beside(part, side) {
    do part = part[`${side}ElementSibling`]
    while (part?.matches('.cell') && !heightOf(part))
    return part
}

const lengthOf = code => code.textContent.trim().split('\n').length

const sum = (all, one) => [...all].reduce((height, each) => height + one(each), 0)
const codeHeightOf = cell =>
    sum(cell.querySelectorAll(':scope > .cell_input:not(.printed-plumbing)'), it => 13 * lengthOf(it) + 16)

// About how high a part is on paper, in pixels.
function heightOf(part) {
    if (part.matches('.cell')) {
        const code = codeHeightOf(part)
        const texts = sum(part.querySelectorAll('.cell_output pre'), it => 14 * lengthOf(it) + 30)
        const rows = 24 * part.querySelectorAll('.cell_output tr').length
        const inRows = '.printed-figure > :not(.printed-half)'
        const pictures = part.querySelectorAll(`.cell_output > .on-paper, .cell_output a + .on-paper, ${inRows} .on-paper`)
        const drawn = sum(pictures, it => Math.min(it.getAttribute('height'), 240) + 16)
        const isLive = !drawn && part.querySelector('.cell_output :is(img, canvas)')
        return code + texts + rows + (isLive ? 300 : drawn)
    }
    if (part.matches('table')) return 32 * part.rows.length
    if (part.matches('.katex-display')) return 80
    return 22 * Math.ceil(lettersOf(part) / 95) + 16
}

// How wide a formula is, in its letters' size. The style makes it as small as the paper asks.
function widthOf(formula) {
    const [range, letters] = [document.createRange(), formula.querySelector('.katex-html')]
    range.selectNodeContents(letters)
    return range.getBoundingClientRect().width / parseFloat(getComputedStyle(letters).fontSize)
}

startPredictions()
startClaims()
document.addEventListener('DOMContentLoaded', startContents) // when the theme has taken the contents that they replace
openNamed()
addEventListener('hashchange', openNamed)

const formulas = document.querySelectorAll('.katex-display')
if (!document.querySelector('.slides')) keepFitting(formulas, 0.6) // letters of 11 pixels; slides have their own size

// Figures begin when they come near the screen, and at once if the address asks for them.
const watch = new IntersectionObserver(
    entries => {
        for (const { isIntersecting, target } of entries)
            if (isIntersecting) {
                watch.unobserve(target)
                start(target)
            }
    },
    { rootMargin: '800px' },
)
for (const figure of document.querySelectorAll('.live-figure'))
    if (location.hash === `#${figure.id}`) start(figure)
    else watch.observe(figure)

const words = document.querySelector('form.words')
if (words) {
    startWords(words)
    startContinue(document.querySelector('.hero-continue'))
}

const results = document.getElementById('search-results')
if (results) startSearch(results)
const dialog = document.getElementById('pst-search-dialog')
if (dialog) startTyped(dialog)
