// The live figures of the site: page.js plays recordings, native inputs are the controls.
//
// A recording (`encode` in record.py says how it is written) has a frame for each state in `states`, a state
// being the step of each control, and the `bases` that a reader can go back to: the start and the presets.

import { play } from './page.js'

export async function load(address) {
    const answer = await fetch(address)
    if (!answer.ok) throw Error(`${address}: ${answer.status}`)
    const plain = answer.body.pipeThrough(new DecompressionStream('gzip'))
    const bytes = new Uint8Array(await new Response(plain).arrayBuffer())
    const start = 4 + new DataView(bytes.buffer).getUint32(0, true)
    const recording = JSON.parse(new TextDecoder().decode(bytes.subarray(4, start)))
    let at = start
    for (const piece of recording.pieces) {
        piece.push(at)
        at += Math.ceil(piece[1] / 8) * 8
    }
    return { ...recording, bytes }
}

// [name, bytes] of a piece: first come the first bytes of each eight, then the second ones …
function readPiece({ pieces, bytes }, number) {
    const [name, length, start] = pieces[number]
    const rows = Math.ceil(length / 8)
    const data = new Uint8Array(8 * rows)
    for (let i = 0; i < data.length; i++) data[8 * (i % rows) + Math.floor(i / rows)] = bytes[start + i]
    return [name, data.subarray(0, length)]
}

export function fileAnswerer(recording) {
    const parts = Array.from({ length: recording.parts }, (_, number) => number)
    let sent = new Set()
    const ask = async values => {
        const [caption, ...numbers] = recording.frames[recording.states[Object.values(values)]]
        if (!numbers.length) throw Error(caption)
        const news = [...parts, ...numbers].filter(number => !sent.has(number))
        sent = new Set([...sent, ...news])
        const pieces = numbers.map(number => recording.pieces[number][0])
        const frame = { size: recording.size, caption, pieces, effort: 0 }
        return { frame, news: news.map(number => readPiece(recording, number)) }
    }
    return { ask, forget: () => (sent = new Set()), onChange: () => {} }
}

// ── The controls ──

function element(kind, attributes, ...children) {
    const made = document.createElement(kind)
    for (const name in attributes) made.setAttribute(name, attributes[name])
    made.append(...children)
    return made
}

// Native inputs for the controls of a recording, in a form. They are always at a state that was recorded.
class Controls {
    constructor(recording, id, colab) {
        Object.assign(this, recording, { colab })
        this.names = this.controls.map(control => control.name)
        this.base = Object.values(this.bases)[0]
        this.state = this.base
        this.onMove = callback => (this.moved = callback)
        this.onRest = callback => (this.rested = callback)
        this.inputs = this.controls.map((control, n) => this.input(control, n, `${id}-${control.name}`))
        this.note = element('p', { class: 'live-note', role: 'status' })
        this.link = element('a', { class: 'live-link' }, 'Link to this state')
        this.form = element('form', { class: 'live-controls', 'aria-label': 'Controls of the picture' })
        this.form.addEventListener('submit', event => event.preventDefault())
        this.form.append(...this.inputs.map(input => input.closest('div')), this.tour(), this.note)
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
        const step = () => (kind === 'checkbox' ? +input.checked : +input.value)
        input.addEventListener('input', () => this.move(n, step()))
        for (const event of ['focus', 'pointerover']) input.addEventListener(event, () => this.rested?.(name))
        const row = element('div', { class: `live-control live-${kind}` })
        row.append(element('label', { for: id }, label), input)
        if (kind === 'range') row.append(element('output', { for: id }))
        if (kind === 'text') row.append(element('a', { href: this.colab }, 'type your own in Colab'))
        return input
    }

    // A button for each base, and one that leads through them.
    tour() {
        const buttons = Object.entries(this.bases).map(([said, base]) => {
            const button = element('button', { type: 'button' }, said)
            button.addEventListener('click', () => this.visit(base))
            return button
        })
        this.buttons = buttons
        const row = element('div', { class: 'live-tour' }, ...buttons)
        if (buttons.length > 1) {
            this.next = element('button', { type: 'button', class: 'live-next' })
            this.next.addEventListener('click', () => this.visit(this.bases[this.following()]))
            row.append(this.next)
        }
        const enlarge = element('button', { type: 'button', class: 'live-enlarge' }, 'Larger picture')
        enlarge.addEventListener('click', () => this.enlarge(enlarge))
        row.append(enlarge, this.link)
        return row
    }

    // On a narrow screen: the picture in its own size, to be moved sideways in its frame.
    enlarge(button) {
        const stage = this.form.nextElementSibling
        const isLarge = stage.classList.toggle('live-large')
        stage.tabIndex = isLarge ? 0 : -1
        button.textContent = isLarge ? 'Smaller picture' : 'Larger picture'
    }

    // The name of the next base that differs from the present one.
    following() {
        const names = Object.keys(this.bases)
        const at = names.findIndex(name => this.bases[name] === this.base)
        const others = [...names.slice(at + 1), ...names.slice(0, at)]
        return others.find(name => String(this.bases[name]) !== String(this.base))
    }

    values() {
        return Object.fromEntries(this.names.map((name, n) => [name, this.state[n]]))
    }

    neighbours(name) {
        const n = this.names.indexOf(name)
        const around = [1, -1, 2, -2, 3, -3, 4, -4].map(by => this.state.with(n, this.state[n] + by))
        const recorded = around.filter(state => state in this.states)
        return recorded.map(state => Object.fromEntries(this.names.map((name, n) => [name, state[n]])))
    }

    visit(base) {
        this.base = base
        this.note.replaceChildren()
        this.go(base, 0)
    }

    // Set a control. Where that was not recorded with the others, as few of them as possible go back.
    move(n, step) {
        const wanted = this.state.with(n, step)
        const others = this.names.map((_, m) => m).filter(m => m !== n && this.controls[m].kind === 'range')
        const back = subsets(others).map(some => wanted.map((step, m) => (some.includes(m) ? this.base[m] : step)))
        const state = back.find(state => state in this.states)
        const gone = others.filter(m => state[m] !== wanted[m])
        if (gone.length) this.tell(gone.map(m => [this.controls[m].label, this.controls[m].shown[state[m]]]))
        else if (n !== this.last) this.note.replaceChildren()
        this.last = n
        this.go(state, n)
    }

    tell(gone) {
        const told = gone.map(([label, value]) => `“${label}” is back at ${value}`).join(', ')
        const together = element('a', { href: this.colab }, 'In Colab they move together.')
        this.note.replaceChildren(`${told}: on this page one slider moves at a time. `, together)
    }

    go(state, n) {
        this.state = state
        this.show()
        this.moved(this.names[n])
        clearTimeout(this.writing) // browsers allow few changes of the address in a short time
        this.writing = setTimeout(() => history.replaceState(null, '', this.link.href), 300)
    }

    // Let the inputs, the buttons and the link say what the state is.
    show() {
        this.controls.forEach(({ kind, shown }, n) => {
            const input = this.inputs[n]
            const step = this.state[n]
            if (kind === 'checkbox') input.checked = step === 1
            else input.value = step
            if (kind !== 'range') return
            input.setAttribute('aria-valuetext', shown[step])
            input.nextElementSibling.textContent = shown[step]
        })
        Object.values(this.bases).forEach((base, n) =>
            this.buttons[n].setAttribute('aria-pressed', String(base) === String(this.state)),
        )
        if (this.next) this.next.textContent = `Next: ${this.following()}`
        const query = new URLSearchParams(this.controls.map(({ name }, n) => [name, this.written(n)]))
        this.link.href = `?${query}#${this.id}`
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
                return step < 0 ? this.base[n] : step
            }
            const far = all.map(text => Math.abs(text - asked))
            return Math.max(0, far.indexOf(Math.min(...far)))
        })
        const unlike = ([, base]) => base.filter((step, n) => step !== steps[n]).length
        const bases = Object.entries(this.bases).sort((one, other) => unlike(one) - unlike(other))
        this.base = bases[0][1]
        if (String(steps) in this.states) this.state = steps
        else this.state = this.base
        this.show()
    }
}

function subsets(items) {
    const all = items.reduce((found, item) => [...found, ...found.map(some => [...some, item])], [[]])
    return all.sort((one, other) => one.length - other.length)
}

// ── The page ──

async function start(figure) {
    if (figure.dataset.isLive) return
    figure.dataset.isLive = true
    const { recording, colab } = figure.dataset
    try {
        const loaded = await load(recording)
        const controls = new Controls(loaded, figure.id, colab)
        const isAsked = location.hash === `#${figure.id}`
        if (isAsked) controls.restore(new URLSearchParams(location.search))
        const stage = element('div', { class: 'live-stage' })
        play(stage, fileAnswerer(loaded), controls, loaded.label, new AbortController().signal)
        await null // the first frame is there
        figure.replaceChildren(controls.form, stage)
        if (isAsked) figure.scrollIntoView()
    } catch (error) {
        figure.append(element('p', { role: 'alert' }, `The sliders could not be loaded: ${error.message}`))
    }
}

// Figures begin when they come near the screen, and at once if the address asks for them. `figuresNearby` is
// fulfilled when those have been drawn that are there at first.
const figures = [...document.querySelectorAll('.live-figure')]
const asked = figures.filter(figure => location.hash === `#${figure.id}`).map(start)
window.figuresNearby = new Promise(resolve => {
    const watch = new IntersectionObserver(
        entries => {
            const come = entries.filter(entry => entry.isIntersecting).map(entry => entry.target)
            for (const figure of come) watch.unobserve(figure)
            resolve(Promise.all([...asked, ...come.map(start)]))
        },
        { rootMargin: '800px' },
    )
    for (const figure of figures) watch.observe(figure)
    if (!figures.length) resolve()
})
