// What attention makes of the reader's own words, in two orders: the first picture of the landing page.
//
// The vectors are random numbers, drawn from the letters of each word, and the three matrices of attention
// change nothing. What the picture shows holds for any vectors and any matrices (notebook 00).

import { announcer } from './live_figures/page.js'
import { dragged, element } from './live_figures/recording.js'
import { keep, kept } from './predictions.js'

const OWN = 'words' // in sessionStorage: {lines: what the reader wrote, isOwn: the second too, percent}
const SIZE = 8 // numbers a word: on a phone, too, each can be seen
const LONGEST = 12 // words in a line
const REST = 30 // twelfths of a second without positions, and with all
const FIRST = 45 // more of them at the beginning

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu

/**
 * The words of a line, without marks, as they are shown: in small letters but for a capital I.
 * @param {string} line
 */
export const shownOf = line => (line.match(WORD) ?? []).map(word => (/^I(?=['’]|$)/.test(word) ? word : word.toLowerCase()))

/**
 * The same words as they are compared, in small letters.
 * @param {string} line
 */
export const wordsOf = line => shownOf(line).map(word => word.toLowerCase())

// Signs that are no part of a word, but for those of every text.
const SIGNS = /[^\p{L}\p{M}\p{N}\p{P}\s]+/u

/**
 * Random numbers from −1 to 1, always the same for a word (mulberry32, started with a hash of the letters).
 * @param {string} word
 * @returns {number[]}
 */
export function vectorOf(word) {
    let seed = 2166136261
    for (const letter of word) seed = Math.imul(seed ^ letter.codePointAt(0), 16777619)
    return Array.from({ length: SIZE }, () => {
        seed = (seed + 0x6d2b79f5) | 0
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1
    })
}

/**
 * The sinusoidal encoding of a position, in `SIZE` dimensions.
 * @param {number} position
 * @returns {number[]}
 */
export const encoding = position =>
    Array.from({ length: SIZE }, (_, j) => {
        const angle = position / 10000 ** ((j - (j % 2)) / SIZE)
        return j % 2 ? Math.cos(angle) : Math.sin(angle)
    })

/**
 * The output of attention for each word: softmax(x xᵀ / √SIZE) x, where a row of x is the vector of a word and
 * `share` times the encoding of its position.
 * @param {string[]} words
 * @param {number} share  0: without positions
 * @returns {number[][]}
 */
export function outputs(words, share) {
    const x = words.map((word, p) => {
        const at = encoding(p)
        return vectorOf(word).map((value, j) => value + share * at[j])
    })
    const dot = (a, b) => a.reduce((sum, value, j) => sum + value * b[j], 0)
    return x.map(query => {
        const parts = x.map(key => Math.exp(dot(query, key) / Math.sqrt(SIZE)))
        const whole = parts.reduce((sum, part) => sum + part)
        return query.map((_, j) => x.reduce((sum, value, m) => sum + (parts[m] / whole) * value[j], 0))
    })
}

/**
 * [word, its output in the first line, in the second, the differences] for each word of both lines; the second
 * *the* of one is compared with the second *the* of the other. Null where the lines have other words.
 * @param {string[]} first
 * @param {string[]} second
 * @param {number} share
 * @returns {[string, number[], number[], number[]][] | null}
 */
export function compare(first, second, share) {
    if (!first.length || first.toSorted().join(' ') !== second.toSorted().join(' ')) return null
    return beside(first, second, share).map(([word, before, after]) => [
        word,
        before,
        after,
        before.map((value, j) => Math.abs(value - after[j])),
    ])
}

/**
 * [word, its output in the first line, in the second] for each word of the first; undefined where that has it no more.
 * @param {string[]} first
 * @param {string[]} second
 * @param {number} share
 * @returns {[string, number[], number[] | undefined][]}
 */
function beside(first, second, share) {
    const [before, after] = [outputs(first, share), outputs(second, share)]
    const left = second.map((word, at) => [word, after[at]])
    return first.map((word, row) => {
        const at = left.findIndex(([other]) => other === word)
        return [word, before[row], at < 0 ? undefined : left.splice(at, 1)[0][1]]
    })
}

const set = words => new Set(words.split(' '))
const BEFORE_NOUNS = set('a an any each every her his its my no our some that the their these this those your')
const PRONOUNS = set('he her him i it me she they them us we who you')
const SMALL = set( // words that neither act nor are acted on
    'also although always am and are as at be because been before but by can could did do does ever everywhere for from had has have ' +
        'here if in into is just may might more must near never not now of often on only or over quite shall should so sometimes soon ' +
        'than then there to today tomorrow tonight too under very was were what when where which while why will with would yesterday',
)

/** The places of two different words to exchange: the first and the last noun, as far as one can tell, or word. */
function pairOf(words) {
    const low = words.map(word => word.toLowerCase())
    const isContent = n => ![SMALL, BEFORE_NOUNS, PRONOUNS].some(kind => kind.has(low[n]))
    const isNoun = n => isContent(n) && (isCapital(words[n]) || BEFORE_NOUNS.has(low[n - 1]))
    const isAny = () => true
    const kinds = words.length < 4 ? [isAny] : [isNoun, isContent, n => !SMALL.has(low[n]), isAny]
    for (const isMeant of kinds) {
        const [first, ...others] = [...words.keys()].filter(isMeant)
        const last = others.findLast(n => low[n] !== low[first])
        if (last) return [first, last]
    }
    return [0, 0]
}

const isCapital = word => /^\p{Lu}/u.test(word)
const raised = word => word[0].toUpperCase() + word.slice(1)
const isOnlyRaised = word => word !== 'I' && isCapital(word) && word.slice(1) === word.slice(1).toLowerCase()

/**
 * The line with two words exchanged so that a sentence stays one, as far as one can tell; its marks stay, and a capital
 * letter at its beginning. "Anna loves Peter, not Paul." becomes "Paul loves Peter, not Anna."
 * @param {string} line
 */
export function exchanged(line) {
    const words = line.match(WORD) ?? []
    if (!words.length) return ''
    const [one, other] = pairOf(words)
    const [first, last] = [words[one], words[other]]
    const begins = one === 0 && isCapital(first)
    words[one] = begins ? raised(last) : last
    words[other] = begins && isOnlyRaised(first) && !isCapital(last) ? first.toLowerCase() : first // no name, perhaps
    return line.replace(WORD, () => words.shift())
}

/**
 * What to do where two lines cannot be compared: which is too long, or has a word too often, and what is wanted. Two
 * lines of a phone have room for it. typed: a word as the reader wrote it.
 */
export function howToMend(first, second, typed) {
    const long = [['first', first], ['second', second]].filter(([, words]) => words.length > LONGEST)
    if (long.length) return `At most ${LONGEST} words a line: ${long.map(([name, { length }]) => `the ${name} has ${length}`).join(', ')}.`
    const count = (words, word) => words.filter(other => other === word).length
    const isMore = (word, words, others) => count(words, word) > count(others, word)
    const more = [[first, second], [second, first]].map(([words, others]) => words.find(word => isMore(word, words, others)))
    if (!first.length && !second.length) return 'Write some words, and the same words in another order.'
    if (!first.length || !second.length) return 'Write the same words in both lines, in another order.'
    if (first.length + second.length === 2) return 'Write several words in each line, with spaces between them.'
    const said = more.flatMap((word, n) => {
        const isInBoth = [second, first][n].includes(word)
        return word ? [isInBoth ? `line ${n + 1} has “${typed(word)}” more often` : `only line ${n + 1} has “${typed(word)}”`] : []
    })
    return `${raised(said.join(', '))}: use the same words.`
}

// ── The picture ──

const RED = [214, 96, 77] // no stronger: a dark page makes pink of that
const WHITE = [247, 247, 247]
const BLUE = [67, 147, 195]

const LARGEST = 2 // a word's number and its position's, each at most 1, and a mix is never beyond what it mixes

/** The colour of a number from −2 to 2. Small numbers are most, so the colours change fastest there. */
export function colour(value) {
    const share = Math.min(1, Math.abs(value) / LARGEST) ** 0.5
    const end = value < 0 ? BLUE : RED
    return `rgb(${WHITE.map((white, n) => Math.round(white + share * (end[n] - white)))})`
}

// A cell with a band of colours for the numbers, of which one may have a frame, or one that waits for them.
function band(values, framed) {
    const cells = (values ?? []).map((value, n) => element('i', { style: `background: ${colour(value)}`, class: n === framed ? 'words-most' : '' }))
    return element('td', {}, element('span', { class: 'words-band', 'aria-hidden': 'true' }, ...cells))
}

const SMALLEST = 0.65 // letters of a long line, as a share of the usual ones
const IS_EQUAL = 1e-9 // a sum in another order differ in their last digits
const written = far => (far < IS_EQUAL ? '0' : far < 0.005 ? '< 0.01' : far.toFixed(2))
const ENDS = ['st', 'nd', 'rd'] // of 1st, 2nd, 3rd; all others end in th

/**
 * Make the letters of a line smaller until it is seen whole. The line that somebody writes keeps its size, as
 * phones zoom in on small letters.
 * @param {HTMLInputElement} input
 */
function fit(input) {
    input.style.fontSize = ''
    if (input === document.activeElement) return
    const share = input.clientWidth / input.scrollWidth
    if (share < 1) input.style.fontSize = `calc(${Math.max(SMALLEST, share - 0.02)} * var(--letters-of-lines))`
}

/** Which of several equal words each is: "1st" and "2nd" for two, "" for one alone. */
export function places(words) {
    return words.map((word, n) => {
        const number = words.slice(0, n + 1).filter(other => other === word).length
        return words.indexOf(word) === words.lastIndexOf(word) ? '' : number + (ENDS[number - 1] ?? 'th')
    })
}

/** Let the form move: two lines of text, a slider, a button that plays; and the table of what comes out. */
export function startWords(form) {
    const [first, second] = form.querySelectorAll('input[type=text]')
    const slider = form.querySelector('input[type=range]')
    const button = form.querySelector('.words-slider button')
    const back = form.querySelector('.words-hint button')
    const rows = form.querySelector('tbody')
    const said = form.querySelector('.words-said')
    const announce = announcer(form.querySelector('[aria-live=polite]'))
    let timer = null
    let percent = slider.value // what it is set to; a finger that scrolls the page moves its handle, too
    let isOwn = false // whether the reader wrote the second line, too; emptied, it follows the first again
    const fitLines = () => [first, second].forEach(fit)
    const hold = () => keep(OWN, { lines: [first.value, second.value], isOwn, percent }, 'sessionStorage') // for who comes back

    // isAsked: the reader has changed something. What moves by itself is not read aloud.
    function show(isAsked = false) {
        if (isAsked) fitLines()
        const share = slider.value / 100
        form.querySelector('output').textContent = `${slider.value} %`
        slider.setAttribute('aria-valuetext', `${slider.value} percent`)
        const lines = [first, second].map(input => wordsOf(input.value))
        const isLong = lines.some(line => line.length > LONGEST)
        const found = isLong ? null : compare(...lines, share)
        const sign = [first, second].map(input => SIGNS.exec(input.value)?.[0]).find(Boolean)
        const tell = told => {
            const text = sign ? `“${sign}” is no word and is left out. ${told}` : told
            if (said.textContent === text) return
            said.textContent = text
            if (isAsked) announce(text)
        }
        back.hidden = [first, second].every(input => input.value === input.defaultValue)
        const isSame = lines[0].join(' ') === lines[1].join(' ')
        button.disabled = !found || isSame
        const [typed, others] = [first, second].map(input => input.value.match(WORD) ?? [])
        const isFull = lines[0].length > LONGEST
        const words = isFull ? lines[0].slice(0, rows.childElementCount || 5) : lines[0] // so nothing below jumps
        const isKept = word => others.includes(word) || !others.some(other => other.toLowerCase() === word.toLowerCase())
        const names = shownOf(first.value).map((name, n) => (isKept(typed[n]) ? typed[n] : name)) // Anna is no anna
        const shown = found ?? (isFull ? words.map(word => [word]) : beside(words, isLong ? [] : lines[1], share))
        const which = places(words)
        const table = rows.parentElement
        table.style.setProperty('--letters', Math.max(0, ...words.map((word, n) => word.length + which[n].length)))
        if (words.length) table.style.setProperty('--rows', words.length) // else those that make way keep their height
        const largest = found?.map(([, , , far]) => Math.max(...far)) ?? []
        const most = Math.max(...largest)
        const row = largest.indexOf(most)
        const framed = most >= IS_EQUAL ? found[row][3].indexOf(most) : -1
        form.querySelector('.words-framed').hidden = framed < 0
        if (words.length) table.style.marginBottom = ''
        else if (rows.firstChild) table.style.marginBottom = `${rows.offsetHeight}px` // nothing below jumps
        table.classList.toggle('words-none', isFull || !words.length)
        rows.replaceChildren(
            ...shown.map(([, before, after], n) => {
                const by = found ? written(largest[n]) : ''
                const at = n === row ? framed : -1
                const cells = [band(before, at), element('td', {}, by), band(after, at)]
                const name = which[n] ? [names[n], ' ', element('small', {}, which[n])] : [names[n]]
                return element('tr', {}, element('th', { scope: 'row' }, ...name), ...cells)
            }),
        )
        const asTyped = word => [...typed, ...others].find(other => other.toLowerCase() === word)
        if (!found) return tell(howToMend(...lines, asTyped))
        const name = which[row] ? `the ${which[row]} “${names[row]}”` : `“${names[row]}”`
        const little = most < 0.2 ? ' a little' : ''
        if (most >= IS_EQUAL) tell(`Now the order counts${little}: the numbers of ${name} differ by up to ${most.toFixed(2)}.`)
        else if (new Set(words).size === 1) tell(`“${names[0]}” alone has no order: write at least two different words.`)
        else if (isSame) tell('The two lines are the same. Change the order of one.')
        else if (share) tell('Here no word has moved, so nothing differs.')
        else tell('Not one number differs: attention alone cannot tell the two orders apart.')
    }

    // Goes on from where the slider stands. Alone it first waits longer at zero, where the sentence is that counts.
    // Until it has moved for the first time there is nothing to pause.
    function play(step = REST + Math.round(0.35 * slider.value)) {
        if (step > 0) button.textContent = 'Pause'
        timer = setInterval(() => {
            step = (step + 1) % (2 * REST + 70)
            if (step === REST) button.textContent = 'Pause'
            const moved = step - REST
            const up = moved < 0 ? 0 : moved < 35 ? moved / 35 : moved < 35 + REST ? 1 : (70 + REST - moved) / 35
            slider.value = Math.round(100 * up)
            percent = slider.value
            show()
        }, 80)
    }

    function stop() {
        clearInterval(timer)
        timer = null
        button.textContent = 'Play'
    }

    form.addEventListener('submit', event => event.preventDefault())
    button.addEventListener('click', () => {
        const isMoving = button.textContent === 'Pause'
        stop()
        if (!isMoving) play()
    })
    const set = () => {
        stop()
        percent = slider.value
        show(true)
        hold()
    }
    slider.addEventListener('focus', stop)
    // what somebody writes while the picture plays begins where it does, without positions
    const rest = () => {
        if (!timer) return
        stop()
        percent = slider.value = 0
        show()
    }
    dragged(slider, set, () => (slider.value = percent))
    for (const input of [first, second]) {
        for (const event of ['pointerdown', 'focus', 'input']) input.addEventListener(event, rest)
        for (const event of ['focus', 'blur']) input.addEventListener(event, () => fit(input))
        input.addEventListener('keydown', ({ key }) => key === 'Enter' && input.blur()) // and a phone's keyboard closes
        input.addEventListener('input', () => changed(input))
    }
    function changed(input) {
        if (input === second) isOwn = /\S/.test(second.value)
        if (input === first && !isOwn) second.value = exchanged(first.value)
        show(true)
        hold()
    }
    // A second line of other words compares nothing: it follows the first again, unless one goes on to it.
    function followAgain() {
        const isSame = compare(wordsOf(first.value), wordsOf(second.value), 0)
        if (!isOwn || isSame || document.activeElement === second) return
        isOwn = false
        changed(first)
    }
    function restore() {
        for (const input of [first, second]) input.value = input.defaultValue
        isOwn = false
        show(true)
        hold()
    }
    first.addEventListener('change', () => setTimeout(followAgain)) // when the focus is where it goes
    back.addEventListener('click', () => {
        percent = slider.value = 0
        restore()
        slider.focus({ preventScroll: true }) // the button is gone
    })
    // Who has emptied both lines finds the example there again.
    const fill = () => /\S/.test(first.value + second.value) || [first, second].includes(document.activeElement) || restore()
    for (const input of [first, second]) input.addEventListener('blur', () => setTimeout(fill))
    for (const [half, scale] of form.querySelectorAll('.words-scale').entries()) {
        const colours = Array.from({ length: 9 }, (_, n) => colour((LARGEST * (n - 8 * (1 - half))) / 8))
        scale.style.background = `linear-gradient(to right, ${colours})`
    }
    form.hidden = false
    new ResizeObserver(fitLines).observe(form)
    stop()
    const before = kept(OWN, 'sessionStorage')
    if (before.lines?.some(line => /\S/.test(line))) {
        ;[first.value, second.value] = before.lines
        isOwn = before.isOwn
        percent = slider.value = before.percent
    }
    show()
    if (!before.lines && !matchMedia('(prefers-reduced-motion: reduce)').matches) play(-FIRST)
}
