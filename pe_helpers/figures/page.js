// A live figure in the page: draws frames, keeps them, asks for those it lacks, and asks ahead.
//
// A frame is what the figure shows for one setting of its controls: {size, caption, pieces, effort}, pieces
// being names in drawing order. What a piece looks like comes once, as bytes (`_recorder.py` says how they are
// written), and is kept by its name. Who answers is one of two with the same methods: the kernel, below, or
// a file that was recorded before.
//     ask(values, isAhead)   a promise of {frame, news: [[name, bytes], …]}; of null where it will not tell;
//                            rejected with an error whose message is for the reader
//     forget()               from now on send what was already sent, too
//     onChange(callback)     call back when frames that are kept are no longer true

const AHEAD = 20 // neighbours on each side of a slider that are asked for while the reader rests on it
const REST = 120 // milliseconds without a move that count as a rest
const SLOW = 50 // a frame that takes its `update` more milliseconds than this is not asked for ahead
const LOST = 10_000 // an answer that takes longer no longer holds up the next question
const MOST_FRAMES = 600 // at this many frames, or bytes of pieces, all are forgotten
const MOST_BYTES = 24e6

const decoder = new TextDecoder()

// ── Pieces ──

// The operations of a piece become `steps`, functions that draw on a canvas' context; colour tables become
// an array of bytes, letters a path.
function readPiece(bytes, pieces) {
    const head = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
    const [names, operations] = JSON.parse(decoder.decode(bytes.subarray(4, 4 + head)))
    const parts = names.map(name => pieces.get(name))
    let at = 4 + head
    const take = (Kind, length) => {
        const end = at + length * Kind.BYTES_PER_ELEMENT
        const array = new Kind(bytes.slice(at, end).buffer)
        at = end + (-end & 3)
        return array
    }
    const takePath = (points, codes) => toPath(take(Float32Array, 2 * points), take(Uint8Array, codes))
    const steps = []
    let style = {}
    for (const [kind, ...given] of operations) {
        if (kind === 'table') return take(Uint8Array, 4 * given[0])
        if (kind === 'outline') return toPath(take(Int16Array, 2 * given[0]), take(Uint8Array, given[0]))
        if (kind === 'clip') {
            const [box, points, codes] = given
            const path = points === undefined ? null : takePath(points, codes)
            steps.push(context => clip(context, box, path))
        } else if (kind === 'path') {
            const path = takePath(...given)
            const now = style
            steps.push(context => paint(context, path, now))
        } else if (kind === 'marks') {
            const path = takePath(given[0], given[1])
            const places = take(Float32Array, 2 * given[2])
            const now = style
            steps.push(context => mark(context, path, places, now))
        } else if (kind === 'text') {
            const path = toText(given[4], parts)
            const { fill } = style
            steps.push(context => write(context, path, fill, given))
        } else if (kind === 'cells') {
            const [, , , , columns, rows, , length, table] = given
            const image = toImage(take(Uint8Array, length), columns, rows, parts[table])
            steps.push(context => place(context, image, given))
        } else {
            style = { ...style, [kind]: given } // fill, stroke, line, dashes
        }
    }
    return steps
}

// matplotlib's codes: 1 move, 2 line, 3 and 4 curves with one and two more points, 79 close; none: a line
function toPath(points, codes) {
    const path = new Path2D()
    for (let i = 0; i < points.length / 2; i++) {
        const code = codes.length ? codes[i] : i ? 2 : 1
        const [x, y, x1, y1, x2, y2] = points.subarray(2 * i, 2 * i + 6)
        if (code === 1) path.moveTo(x, y)
        else if (code === 2) path.lineTo(x, y)
        else if (code === 79) path.closePath()
        else if (code === 3) {
            path.quadraticCurveTo(x, y, x1, y1)
            i += 1
        } else if (code === 4) {
            path.bezierCurveTo(x, y, x1, y1, x2, y2)
            i += 2
        }
    }
    return path
}

function toText(places, letters) {
    const path = new Path2D()
    for (let i = 0; i < places.length; i += 4) {
        const [which, x, y, size] = places.slice(i, i + 4)
        path.addPath(letters[which], { a: size / 64, d: size / 64, e: x, f: y })
    }
    return path
}

// colours of their own, four bytes a cell, or one byte, its place in a table of colours
function toImage(cells, columns, rows, table) {
    const canvas = document.createElement('canvas')
    canvas.width = columns
    canvas.height = rows
    const image = new ImageData(columns, rows)
    if (table) {
        const colours = new Uint32Array(table.buffer)
        new Uint32Array(image.data.buffer).set(Uint32Array.from(cells, cell => colours[cell]))
    } else image.data.set(cells)
    canvas.getContext('2d').putImageData(image, 0, 0)
    return canvas
}

function clip(context, box, path) {
    context.restore() // to what it was without clipping
    context.save()
    if (box) {
        context.beginPath()
        context.rect(...box)
        context.clip()
    }
    if (path) context.clip(path)
}

function paint(context, path, { fill, stroke, line, dashes }) {
    if (fill?.[0]) {
        context.fillStyle = fill[0]
        context.fill(path)
    }
    if (stroke?.[0]) {
        context.strokeStyle = stroke[0]
        ;[context.lineWidth, context.lineCap, context.lineJoin] = line
        context.miterLimit = 4
        context.setLineDash(dashes[0])
        context.lineDashOffset = dashes[1]
        context.stroke(path)
    }
}

function mark(context, path, places, style) {
    for (let i = 0; i < places.length; i += 2) {
        context.translate(places[i], places[i + 1])
        paint(context, path, style)
        context.translate(-places[i], -places[i + 1])
    }
}

function write(context, path, fill, [x, y, angle, size]) {
    const before = context.getTransform()
    context.translate(x, y)
    context.rotate((-angle * Math.PI) / 180)
    context.scale(size, -size)
    context.fillStyle = fill[0]
    context.fill(path)
    context.setTransform(before)
}

function place(context, image, [left, bottom, right, top, columns, rows, alpha]) {
    const before = context.getTransform()
    context.globalAlpha = alpha
    context.imageSmoothingEnabled = false
    context.translate(left, bottom)
    context.scale((right - left) / columns, (top - bottom) / rows)
    context.drawImage(image, 0, 0)
    context.setTransform(before)
    context.globalAlpha = 1
}

// ── The player ──

// Shows in `element` what `answerer` tells for the values of `controls`:
//     values()               {name: value}
//     neighbours(name)       settings near the present one, the nearest first
//     onMove(callback)       call back with the name of a control when its value changes
//     onRest(callback)       call back with the name of a control when the reader turns to it
// Returns a function that ends it.
export function play(element, answerer, controls, label) {
    const canvas = element.appendChild(document.createElement('canvas'))
    const problem = element.appendChild(document.createElement('p'))
    const caption = element.appendChild(document.createElement('p'))
    canvas.className = 'live-picture'
    canvas.style.maxWidth = '100%'
    canvas.dataset.frames = 0
    canvas.setAttribute('role', 'img')
    canvas.setAttribute('aria-label', label)
    problem.setAttribute('role', 'alert')
    problem.hidden = true
    caption.setAttribute('aria-live', 'polite')
    for (const words of [problem, caption]) words.style.cssText = 'font-size: 1.1em; line-height: 1.4'

    const frames = new Map() // setting → frame
    const pieces = new Map() // name → steps, a table or a letter
    const asked = new Map() // setting → when it was asked for
    let bytes = 0
    let moves = 0 // the number of the present position, and of the one that the picture shows
    let shown = 0
    let picture = null
    let ahead = []
    let resting = null
    let effort = 0 // milliseconds that `update` took for the last frame
    let hasEnded = false

    const keyOf = values =>
        JSON.stringify(values, (_, value) => (typeof value === 'number' ? +value.toPrecision(9) : value))

    function draw() {
        const ratio = window.devicePixelRatio || 1
        const [width, height] = picture.size
        const context = canvas.getContext('2d')
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio)
            canvas.height = Math.round(height * ratio)
            canvas.style.width = `${width}px`
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0)
        context.clearRect(0, 0, width, height)
        for (const steps of picture.steps) {
            context.save()
            for (const step of steps) step(context)
            context.restore()
        }
        canvas.hidden = false
        problem.hidden = true
        if (caption.textContent !== picture.caption) caption.textContent = picture.caption
        canvas.dataset.frames = +canvas.dataset.frames + 1
    }

    function show(frame, number) {
        shown = number
        picture = frame
        draw()
    }

    function forget() {
        frames.clear()
        pieces.clear()
        asked.clear()
        ahead = []
        bytes = 0
        answerer.forget()
    }

    function keep({ frame, news }) {
        for (const [name, data] of news) {
            pieces.set(name, readPiece(data, pieces))
            bytes += data.byteLength
        }
        return { ...frame, steps: frame.pieces.map(name => pieces.get(name)) }
    }

    async function ask(values, isAhead) {
        const key = keyOf(values)
        const number = moves
        const start = performance.now()
        asked.set(key, start)
        try {
            const answer = await answerer.ask(values, isAhead)
            if (asked.get(key) !== start || hasEnded) return // forgotten meanwhile
            if (answer) {
                const frame = keep(answer)
                frames.set(key, frame)
                effort = frame.effort ?? 0
                if (key === keyOf(controls.values())) show(frame, moves)
                else if (!isAhead && number > shown) show(frame, number)
            }
        } catch (error) {
            if (asked.get(key) === start && !isAhead && number >= shown) tell(error, number)
        }
        if (asked.get(key) === start) asked.delete(key)
        if (frames.size > MOST_FRAMES || bytes > MOST_BYTES) forget()
        pump()
    }

    function tell(error, number) {
        shown = number
        canvas.hidden = true
        problem.hidden = false
        problem.textContent = `This picture could not be drawn. ${error.message}`
        caption.textContent = ''
    }

    // Ask for the present position; with nothing else to do, ask ahead, one at a time.
    function pump() {
        if (hasEnded) return
        const values = controls.values()
        const key = keyOf(values)
        const waiting = [...asked.values()].filter(start => performance.now() - start < LOST).length
        if (shown < moves && !frames.has(key)) {
            if (!asked.has(key) && waiting < 2) ask(values, false)
        } else if (!waiting && !resting && effort < SLOW && !document.hidden) {
            ahead = ahead.filter(values => !frames.has(keyOf(values)))
            if (ahead.length) ask(ahead.shift(), true)
        }
    }

    function move(name) {
        moves += 1
        const frame = frames.get(keyOf(controls.values()))
        if (frame) show(frame, moves)
        rest(name)
        pump()
    }

    function rest(name) {
        ahead = []
        clearTimeout(resting)
        resting = setTimeout(() => {
            resting = null
            ahead = controls.neighbours(name)
            pump()
        }, REST)
    }

    const redraw = () => picture && canvas.width !== Math.round(picture.size[0] * devicePixelRatio) && draw()
    const events = new AbortController()
    window.addEventListener('resize', redraw, events)
    document.addEventListener('visibilitychange', pump, events)
    controls.onMove(move)
    controls.onRest(rest)
    answerer.onChange(forget)
    moves = 1
    pump()
    return () => {
        hasEnded = true
        clearTimeout(resting)
        events.abort()
    }
}

// ── The kernel answers, ipywidgets are the controls ──

function kernelAnswerer(model) {
    const open = new Map() // number of the question → {resolve, reject}
    let memory = Math.random().toString(36) // the kernel notes under this name what it has sent
    let number = 0
    const receive = (content, buffers) => {
        const question = open.get(content.number)
        if (content.memory !== memory || !question) return // another page asked
        open.delete(content.number)
        if (content.error) return question.reject(new Error(content.error))
        const [data] = buffers
        let at = 0
        const news = content.news?.map(([name, length]) => {
            at += length
            return [name, new Uint8Array(data.buffer, data.byteOffset + at - length, length)]
        })
        question.resolve(content.frame ? { frame: content.frame, news } : null)
    }
    model.on('msg:custom', receive)
    return {
        ask: (values, isAhead) =>
            new Promise((resolve, reject) => {
                number += 1
                open.set(number, { resolve, reject })
                model.send({ number, memory, values, ahead: isAhead })
            }),
        forget: () => {
            memory = Math.random().toString(36)
            open.clear()
        },
        onChange: callback => model.on('change:generation', callback),
        stop: () => model.off('msg:custom', receive),
    }
}

async function widgetControls(model, element) {
    const names = Object.keys(model.get('controls'))
    const found = names.map(name => model.widget_manager.get_model(model.get('controls')[name].slice(10)))
    const widgets = Object.fromEntries((await Promise.all(found)).map((widget, i) => [names[i], widget]))
    const events = new AbortController()
    const listeners = []
    const values = () =>
        Object.fromEntries(names.map(name => [name, widgets[name].get('index') ?? widgets[name].get('value')]))
    return {
        values,
        neighbours: name => nearby(widgets[name]).map(value => ({ ...values(), [name]: value })),
        onMove: callback => {
            for (const name of names) {
                const listener = () => callback(name)
                widgets[name].on('change:value change:index', listener)
                listeners.push([widgets[name], listener])
            }
        },
        onRest: callback => {
            let last = null
            const look = ({ target }) => {
                const own = target.closest?.('.live-figure')?.contains(element)
                const name = own && names.find(name => target.closest(`.live-control-${name}`))
                if (name && name !== last) callback(name)
                last = name || last
            }
            document.addEventListener('focusin', look, events)
            document.addEventListener('pointerover', look, events)
        },
        stop: () => {
            events.abort()
            for (const [widget, listener] of listeners) widget.off('change:value change:index', listener)
        },
    }
}

// values of a control near the present one, the nearest first
function nearby(widget) {
    const value = widget.get('value')
    const step = widget.get('step')
    const index = widget.get('index')
    const base = widget.get('base')
    if (typeof value === 'boolean') return [!value]
    const isMenu = Number.isInteger(index)
    if (!isMenu && (typeof value !== 'number' || !step)) return []
    const low = isMenu ? 0 : widget.get('min')
    const high = isMenu ? widget.get('_options_labels').length - 1 : widget.get('max')
    const now = isMenu ? index : base ? Math.log(value) / Math.log(base) : value
    const count = Math.round((now - low) / (isMenu ? 1 : step))
    const found = []
    for (let away = 1; away <= AHEAD; away++) {
        for (const n of [count + away, count - away]) {
            const near = isMenu ? n : +(low + n * step).toPrecision(12)
            if (near >= low && near <= high + 1e-9) found.push(base ? base ** near : near)
        }
    }
    return found
}

async function render({ model, el }) {
    const answerer = kernelAnswerer(model)
    const controls = await widgetControls(model, el)
    const end = play(el, answerer, controls, model.get('label'))
    return () => {
        end()
        controls.stop()
        answerer.stop()
    }
}

export default { render }
