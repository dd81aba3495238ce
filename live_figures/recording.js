// Recorded live figures: a client for `play` of page.js, and native inputs as its controls.
//
// A recording (`to_bytes` in recording.py says how it is written) has a frame for each state in `states`, a
// state being the step of each control, and the `presets` that a reader can go back to, the start's first; `sets`
// has the numbers of the controls that each of them names. All sliders are crossed at the steps `together` of each,
// any two of more at more steps; with the others at a preset, a slider has them all.

const MANY = 5 // buttons

export async function load(address) {
    const answer = await fetch(address).catch(() => {
        throw Error('the network does not answer.')
    })
    if (!answer.ok) throw Error(`${address}: ${answer.status}`)
    const plain = answer.body.pipeThrough(new DecompressionStream('gzip'))
    const bytes = new Uint8Array(await new Response(plain).arrayBuffer())
    const start = 4 + new DataView(bytes.buffer).getUint32(0, true)
    const recording = JSON.parse(new TextDecoder().decode(bytes.subarray(4, start)))
    let at = start
    for (const list of recording.displayLists) {
        list.push(at)
        at += Math.ceil(list[1] / 8) * 8
    }
    return { ...recording, bytes }
}

/**
 * Bytes in their order: in a recording stand the first of each eight, then the second ones …
 * @param {Uint8Array} bytes
 */
export function unshuffled(bytes) {
    const rows = bytes.length / 8
    const data = new Uint8Array(bytes.length)
    for (let i = 0; i < data.length; i++) data[8 * (i % rows) + Math.floor(i / rows)] = bytes[i]
    return data
}

/**
 * @typedef {{displayLists: [name: string | number, length: number, start: number][], bytes: Uint8Array,
 *            [field: string]: any}} Recording  as `load` gives it
 */

/** @param {Recording} recording @returns {[string | number, Uint8Array]} name and bytes of a display list */
function displayList({ displayLists, bytes }, number) {
    const [digest, length, start] = displayLists[number]
    return [digest, unshuffled(bytes.subarray(start, start + Math.ceil(length / 8) * 8)).subarray(0, length)]
}

/** @param {Recording} recording @returns {import('./page.js').Client} */
export function recordingClient(recording) {
    const resources = Array.from({ length: recording.resources }, (_, number) => number)
    let has = new Set()
    const request = async values => {
        const [caption, ...numbers] = recording.frames[recording.states[String(Object.values(values))]]
        if (!numbers.length) throw Error(`This picture could not be drawn. ${caption}`)
        const sent = [...resources, ...numbers].filter(number => !has.has(number))
        has = new Set([...has, ...sent])
        const displayLists = numbers.map(number => recording.displayLists[number][0])
        const frame = { size: recording.size, caption, displayLists, updateTime: 0 }
        return { frame, sent: sent.map(number => displayList(recording, number)) }
    }
    return { request, reset: () => (has = new Set()), onInvalidate: () => {} }
}

/**
 * Play the recording at `address` in `figure`, in place of what stands there; `play` is page.js's. The state that
 * the page's address names is shown first; the answer says whether it named one. Where the media query `small`
 * matches, the recording at `narrow`, if there is one, is played instead; a phone that is turned keeps the state.
 */
export async function mount(figure, address, play, kernel = null, narrow = '', small = '(max-width: 599px)') {
    const page = matchMedia(small)
    const isNarrow = narrow && page.matches
    const recording = await load(isNarrow ? narrow : address)
    const controls = new RecordedControls(recording, figure.id, kernel)
    const isAsked = location.hash === `#${figure.id}`
    const before = figure.querySelector('.live-link') // of the other form
    const asked = before ? new URLSearchParams(before.search) : ofFigure(figure.id)
    if ([...asked].length) controls.restore(asked)
    if (isNarrow && recording.size[0] <= innerWidth) controls.form.querySelector('.live-enlarge').remove()
    const stage = element('div', { class: 'live-stage' })
    const end = new AbortController()
    play(stage, recordingClient(recording), controls, recording.label, end.signal)
    await null // the first frame is there
    figure.replaceChildren(controls.form, stage)
    if (isNarrow) figure.append(controls.link.parentElement) // no row of the screen between slider and picture
    controls.show() // a row of buttons that has its width now shows the one that is pressed
    const turn = () => mount(figure, address, play, kernel, narrow, small).then(() => end.abort(), console.warn)
    if (narrow) page.addEventListener('change', turn, { signal: end.signal })
    return isAsked
}

// ── The page's address: ?k=3#figure-1 for the figure that was touched last, and &figure-2.k=5 for others ──

const pairs = search => [...new URLSearchParams(search)]
let last = '' // the figure whose values have no prefix: links within the page change the hash alone

/** What the page's address says of a figure: values by the names of its controls, which have no dot. */
function ofFigure(id) {
    if (location.hash === `#${id}`) last = id
    const own = pairs(location.search).filter(([name]) => name.startsWith(`${id}.`))
    const plain = id === last ? pairs(location.search).filter(([name]) => !name.includes('.')) : []
    return new URLSearchParams([...own.map(([name, value]) => [name.slice(id.length + 1), value]), ...plain])
}

/** Let the page's address have these values of a figure, lead to it, and keep what it said of others. */
function write(id, search) {
    const said = pairs(location.search).map(([name, value]) => [name.includes('.') ? name : `${last}.${name}`, value])
    const others = said.filter(([name]) => !name.startsWith('.') && !name.startsWith(`${id}.`))
    last = id
    history.replaceState(null, '', `?${new URLSearchParams([...pairs(search), ...others])}#${id}`)
}

// ── The controls ──

/** @returns {any} */
export function element(kind, attributes, ...children) {
    const made = document.createElement(kind)
    for (const name in attributes) made.setAttribute(name, attributes[name])
    made.append(...children)
    return made
}

// Native inputs for the controls of a recording, in a form. They are always at a state that was recorded.
// `kernel`, {name, address} or null, is where the reader finds the figure with a kernel.
export class RecordedControls {
    constructor(recording, id, kernel) {
        this.controls = recording.controls
        this.presets = recording.presets
        this.sets = recording.sets
        this.states = recording.states
        this.recorded = Object.keys(recording.states).map(state => state.split(',').map(Number))
        this.together = recording.together
        this.kernel = kernel
        this.names = this.controls.map(control => control.name)
        this.preset = Object.values(this.presets)[0] // the last that the reader chose
        this.state = this.wished = this.preset // wished: where the reader put each, recorded or not
        this.onMove = callback => (this.moved = callback)
        this.onRest = callback => (this.rested = callback)
        this.inputs = this.controls.map((control, n) => this.input(control, n, `${id}-${control.name}`))
        this.note = element('p', { class: 'live-note', role: 'status' })
        this.link = element('a', { class: 'live-link' }, 'Copy link')
        this.link.addEventListener('click', event => this.copy(event))
        this.form = element('form', { class: 'live-controls', 'aria-label': 'Controls of the picture' })
        this.form.addEventListener('submit', event => event.preventDefault())
        this.form.append(...this.inputs.map(input => input.closest('div')), this.tour())
        this.note.hidden = this.recorded.length === this.controls.reduce((all, { shown }) => all * shown.length, 1)
        this.id = id
        this.show()
    }

    input({ kind, label, shown, name }, n, id) {
        const options = () => shown.map((text, step) => element('option', { value: step }, text))
        const input =
            kind === 'range'
                ? element('input', { type: 'range', min: 0, max: shown.length - 1, id })
                : kind === 'checkbox'
                  ? element('input', { type: 'checkbox', id })
                  : element('select', { id }, ...options())
        const move = isHeld => this.move(n, kind === 'checkbox' ? +input.checked : +input.value, isHeld)
        if (kind === 'range') dragged(input, move, () => this.show())
        else input.addEventListener('input', () => move(false))
        for (const event of ['focus', 'pointerover']) input.addEventListener(event, () => this.rested?.(name))
        const row = element('div', { class: `live-control live-${kind}` })
        row.append(element('label', { for: id }, label), kind === 'range' ? this.track(input, n) : input)
        if (kind === 'range') row.append(element('output', { for: id, 'aria-live': 'off' })) // the input itself says it
        if (kind === 'text' && this.kernel) row.append(this.toKernel(`type your own in ${this.kernel.name}`))
        if (kind === 'text' && this.isToured(n)) row.classList.add('live-toured') // a style may hide it
        return input
    }

    // Whether a tour of presets has all that was recorded of a text: a menu would say the same again.
    isToured(n) {
        const presets = Object.values(this.presets)
        return presets.length > MANY && this.controls[n].shown.every((_, step) => presets.some(preset => preset[n] === step))
    }

    // A slider between two buttons that move it by one step. Keys do that in the slider itself, so Tab passes them.
    track(input, n) {
        const step = (sign, by) => {
            const name = `${this.nameOf(n)}, one step ${by < 0 ? 'down' : 'up'}`
            const button = element('button', { type: 'button', class: 'live-step', tabindex: -1, 'aria-label': name }, sign)
            const to = () => Math.min(Math.max(0, this.state[n] + by), this.controls[n].shown.length - 1)
            button.addEventListener('click', () => {
                input.focus({ preventScroll: true, focusVisible: false }) // and keys go on from there
                if (to() !== this.state[n]) this.move(n, to())
            })
            return button
        }
        const zero = this.controls[n].shown.findIndex(text => parseFloat(text) === 0)
        if (zero > 0) input.style.setProperty('--zero', zero / (this.controls[n].shown.length - 1))
        return element('span', { class: `live-track${zero > 0 ? ' live-signed' : ''}` }, step('−', -1), input, step('+', 1))
    }

    // A button for each preset, and where they are many one that leads through them: it stays under the pointer.
    // "reset", the first, is no stop on the way.
    tour() {
        const buttons = Object.keys(this.presets).map(text => {
            const button = element('button', { type: 'button' }, text)
            button.addEventListener('click', () => this.visit(text))
            return button
        })
        this.buttons = buttons
        const row = element('div', { class: 'live-tour' }, ...buttons)
        if (buttons.length > MANY) {
            const many = element('div', { class: 'live-many' }, ...buttons) // on a narrow page a row that scrolls
            const follow = ({ target }) => target.matches(':focus-visible') && toMiddle(target) // none moves under a finger
            many.addEventListener('focusin', follow)
            row.prepend(many)
            this.next = element('button', { type: 'button', class: 'live-next' })
            this.next.addEventListener('click', () => this.visit(this.following()))
            row.append(this.next)
        }
        const enlarge = element('button', { type: 'button', class: 'live-enlarge' }, 'Larger picture')
        enlarge.addEventListener('click', () => this.enlarge(enlarge))
        row.append(enlarge, element('span', { role: 'status' }, this.link), this.note)
        return row
    }

    // On a narrow screen: the picture in its own size, to be moved sideways in a frame.
    enlarge(button) {
        const canvas = this.form.nextElementSibling.querySelector('canvas')
        const frame = canvas.closest('.live-large')
        const large = { class: 'live-large', tabindex: 0, role: 'group', 'aria-label': 'Picture, wider than the page' }
        if (frame) frame.replaceWith(canvas)
        else {
            canvas.before(element('div', large))
            canvas.previousElementSibling.append(canvas)
        }
        button.textContent = frame ? 'Larger picture' : 'Smaller picture'
    }

    // The name of the next preset that differs from the present one.
    following() {
        const names = Object.keys(this.presets).slice(1)
        const at = names.findIndex(name => String(this.presets[name]) === String(this.preset))
        const others = [...names.slice(at + 1), ...names.slice(0, at)]
        return others.find(name => String(this.presets[name]) !== String(this.preset))
    }

    values() {
        return Object.fromEntries(this.names.map((name, n) => [name, this.state[n]]))
    }

    neighbours(name) {
        const n = this.names.indexOf(name)
        const steps = this.controls[n].shown.map((_, step) => step).filter(step => step !== this.state[n])
        const recorded = steps.filter(step => this.state.with(n, step) in this.states)
        const near = recorded.sort((one, other) => Math.abs(one - this.state[n]) - Math.abs(other - this.state[n]))
        return near.slice(0, 8).map(step => ({ ...this.values(), [name]: step }))
    }

    visit(text) {
        const state = this.visited(text)
        const wanted = this.state.map((step, n) => (this.sets[text].includes(n) ? state[n] : step))
        this.preset = this.presets[text]
        this.tell(wanted, state, `“${text}”`)
        this.go(state, 0)
        toMiddle(this.buttons[Object.keys(this.presets).indexOf(text)])
    }

    // The state to which a preset leads from the present one: controls that it does not name stay. Where that was
    // not recorded, as few of them as possible go where they were when the preset was recorded, sliders first.
    visited(text) {
        const preset = this.presets[text]
        const isOther = n => !this.sets[text].includes(n) && preset[n] !== this.state[n]
        const others = this.names.map((_, n) => n).filter(isOther)
        const choices = some => some.filter(n => this.controls[n].kind !== 'range').length
        const gone = subsets(others).sort((one, other) => choices(one) - choices(other))
        const stays = (n, some) => others.includes(n) && !some.includes(n)
        const states = gone.map(some => preset.map((step, n) => (stays(n, some) ? this.state[n] : step)))
        return states.find(state => state in this.states)
    }

    // Set a control. Where that was not recorded with the others, all go to the nearest steps that were; the others
    // come back to where the reader put them as soon as that was recorded.
    move(n, step, isHeld = false) {
        const wanted = this.wished.with(n, step)
        const isCrossed = this.together.length > 0
        const others = () => (isCrossed ? this.crossed(wanted, n, isHeld) : this.alone(wanted, n))
        const state = wanted in this.states ? wanted : others()
        const wished = wanted.with(n, state[n])
        const isLeap = !isHeld && state[n] !== wanted[n] && `${state}` === `${wished}` // a key went further than a step
        this.tell(isLeap ? wanted : wished, state, isLeap ? 'these other values' : `this ${this.nameOf(n)}`)
        this.go(state, n, wished)
    }

    // The recorded state in which the control that was set is as near to its step as where all are crossed, and
    // the others change least and keep their signs. A key leads on to another step; what a finger or a pointer
    // holds may stay.
    crossed(wanted, n, isHeld) {
        const isAllowed = step => isHeld || (step - this.state[n]) * (wanted[n] - this.state[n]) > 0
        const far = step => Math.abs(step - wanted[n])
        const most = far(nearest(this.together[n].filter(isAllowed), wanted[n]))
        const change = (step, m) => {
            const { kind, shown } = this.controls[m]
            if (m === n || step === wanted[m]) return 0
            const turnsRound = parseFloat(shown[step]) * parseFloat(shown[wanted[m]]) < 0 // to the other sign
            return kind === 'range' ? Math.abs(step - wanted[m]) / shown.length + Number(turnsRound) : Infinity
        }
        const cost = state => state.map(change).reduce((sum, each) => sum + each) + 1e-6 * far(state[n])
        const near = this.recorded.filter(state => far(state[n]) <= most && isAllowed(state[n]))
        return least(near, cost)
    }

    // As few of the others as possible go back.
    alone(wanted, n) {
        const others = this.names.map((_, m) => m).filter(m => m !== n && this.controls[m].kind === 'range')
        const back = subsets(others).map(some => wanted.map((step, m) => (some.includes(m) ? this.preset[m] : step)))
        return back.find(state => state in this.states)
    }

    // Which of the wanted steps this page does not have `beside` what was moved; no words where it has them all.
    tell(wanted, state, beside) {
        const [n, ...more] = this.names.map((_, n) => n).filter(n => state[n] !== wanted[n])
        const step = of => this.said(n, of[n])
        const words = more.length
            ? 'This page does not have all these values together: it shows the nearest. '
            : n >= 0
              ? `This page has no ${this.nameOf(n)} = ${step(wanted)} with ${beside}: it shows ${step(state)}. `
              : ''
        if (this.note.firstChild?.data === (words || undefined)) return
        this.note.replaceChildren(...(words ? [words] : []))
        const where = `${this.kernel?.name ?? 'The notebook'} has ${more.length ? 'them' : 'it'}.`
        if (words) this.note.append(this.kernel ? this.toKernel(where) : where)
    }

    // The link to the clipboard and into the address, and a word of that.
    async copy(event) {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return // it opens elsewhere
        event.preventDefault()
        write(this.id, this.link.search)
        let told = 'Copied'
        try {
            await navigator.clipboard.writeText(this.link.href)
        } catch {
            told = 'The address bar has the link' // the page may not copy
        }
        this.link.textContent = told
        setTimeout(() => (this.link.textContent = 'Copy link'), 2000)
    }

    toKernel(text) {
        return element('a', { href: this.kernel.address }, text)
    }

    go(state, n, wished = state) {
        this.state = state
        this.wished = wished
        this.show()
        this.moved(this.names[n])
        clearTimeout(this.writing) // browsers allow few changes of the address in a short time
        this.writing = setTimeout(() => write(this.id, this.link.search), 300)
    }

    // Let the inputs, the buttons and the link say what the state is.
    show() {
        this.controls.forEach(({ kind, shown }, n) => {
            const input = this.inputs[n]
            const step = this.state[n]
            if (kind === 'checkbox') input.checked = step === 1
            else input.value = step
            if (kind !== 'range') return
            input.setAttribute('aria-valuetext', this.said(n, step))
            input.style.setProperty('--at', step / Math.max(1, shown.length - 1)) // for a style that fills its track
            input.closest('div').querySelector('output').textContent = this.said(n, step)
        })
        Object.keys(this.presets).forEach((text, n) => {
            const isShown = String(this.visited(text)) === String(this.state)
            if (n) this.buttons[n].setAttribute('aria-pressed', isShown)
            if (n && isShown) toMiddle(this.buttons[n])
        })
        if (this.next) this.next.textContent = `Next: ${this.following()}`
        const query = new URLSearchParams(this.controls.map(({ name }, n) => [name, this.written(n)]))
        this.link.href = `?${query}#${this.id}`
    }

    /** The label of a control without its unit. */
    nameOf(n) {
        return this.controls[n].label.replace(/ \(.*\)$/, '')
    }

    /** The text of a step, with a minus sign as in print. */
    said(n, step) {
        return this.controls[n].shown[step].replace(/^-/, '−')
    }

    written(n, step = this.state[n]) {
        return this.controls[n].shown[step].replaceAll(',', '')
    }

    // The state that an address asks for: of each control the step that is written there, or the nearest.
    restore(query) {
        const steps = this.controls.map(({ kind, shown }, n) => {
            const asked = query.get(this.names[n])
            const all = shown.map((_, step) => this.written(n, step))
            if (asked === null || all.includes(asked) || kind !== 'range') {
                const step = all.indexOf(asked)
                return step < 0 ? this.preset[n] : step
            }
            const far = all.map(text => Math.abs(text - asked))
            return Math.max(0, far.indexOf(Math.min(...far)))
        })
        const unlike = preset => preset.filter((step, n) => step !== steps[n]).length
        const presets = Object.values(this.presets).sort((one, other) => unlike(one) - unlike(other))
        this.preset = presets[0]
        const near = this.together.map((kept, n) => nearest(kept, steps[n]))
        this.state = this.wished = [steps, near].find(state => state in this.states) ?? this.preset
        this.tell(steps, this.state, 'these other values')
        this.show()
    }
}

/** Let the row that a button stands in, where it is one that scrolls, show it. */
function toMiddle(button) {
    const row = button.closest('.live-many')
    if (row) row.scrollLeft = button.offsetLeft - row.offsetLeft - (row.clientWidth - button.offsetWidth) / 2
}

/** The item that costs least; of several the first. */
export function least(items, cost) {
    const costs = items.map(cost)
    return items[costs.indexOf(Math.min(...costs))]
}

/** The step nearest to this one. */
const nearest = (steps, to) => least(steps, step => Math.abs(step - to))

/**
 * Call `move` when a slider was moved, with whether a finger or a pointer holds it. A finger on it may be about to
 * scroll the page: until it has moved sideways or gone up, nothing moves; where the page scrolls, `back` is called.
 */
export function dragged(input, move, back) {
    input.style.touchAction = 'pan-y'
    let down = null // where a finger went down, until it is known what it does
    let isScrolling = false
    let isHeld = false
    const isSideways = ({ x, y }) => Math.abs(x - down.x) > Math.abs(y - down.y)
    const go = () => {
        input.toggleAttribute('data-held', isHeld) // by which a page's style knows it
        move(isHeld)
    }
    const decide = event => {
        if (!down || (event.type === 'pointermove' && !isSideways(event))) return
        down = null
        isScrolling = event.type === 'pointercancel'
        if (isScrolling) return
        input.focus({ preventScroll: true, focusVisible: false }) // not every phone does; the page keeps in sight what has it
        go()
    }
    const end = () => {
        if (isScrolling) back() // the input itself has followed the finger
        isScrolling = false
    }
    input.addEventListener('pointerdown', event => {
        isHeld = true
        if (event.pointerType === 'touch') down = event
    })
    for (const event of ['pointermove', 'pointerup', 'pointercancel']) input.addEventListener(event, decide)
    for (const event of ['touchend', 'touchcancel', 'change']) input.addEventListener(event, end)
    for (const event of ['change', 'keydown']) input.addEventListener(event, () => (isHeld = false))
    for (const event of ['pointerup', 'pointercancel', 'change', 'keydown'])
        input.addEventListener(event, () => input.removeAttribute('data-held'))
    input.addEventListener('input', () => down || isScrolling || go())
}

/** Every choice among some items, the smallest first. */
export function subsets(items) {
    const all = items.reduce((found, item) => [...found, ...found.map(some => [...some, item])], [[]])
    return all.sort((one, other) => one.length - other.length)
}
