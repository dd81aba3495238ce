// A live figure in the page: draws frames, keeps them, asks for those it lacks, and asks ahead.
//
// A frame is what the figure shows for one setting of its controls: {size, caption, pieces, effort}, pieces
// being names in drawing order. What a piece looks like comes once, as bytes (`_pieces.py` says how they are
// written), and is kept by its name. Who answers is one of two with the same methods: the kernel, below, or
// a file that was recorded before.
//     ask(values, isAhead)   a promise of {frame, news: [[name, bytes], …]}; of null where it cannot tell
//                            ahead; rejected with an error whose message is for the reader
//     forget()               from now on send what was already sent, too
//     onChange(callback)     call back when frames that are kept are no longer true

const AHEAD = 20 // neighbours on each side of a slider that are asked for while the reader rests on it
const REST = 120 // milliseconds without a move that count as a rest
const SLOW = 50 // a frame that takes its `update` more milliseconds than this is not asked for ahead
const LOST = 10_000 // an answer that takes longer is given up
const MOST_BYTES = 8e6 // when frames take so many bytes, all are forgotten

// ── Pieces ──

// The operations of a piece become `steps`, functions that draw on a canvas' context; colour tables become
// an array of colours, letters a path.
function readPiece(bytes, pieces) {
    const head = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
    const [names, operations] = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + head)))
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
        if (kind === 'table') return take(Uint32Array, given[0])
        if (kind === 'outline') return toPath(take(Int16Array, 2 * given[0]), take(Uint8Array, given[0]))
        const now = style
        if (kind === 'clip') {
            const [box, ...path] = given
            const inside = path.length ? takePath(...path) : null
            steps.push(context => clip(context, box, inside))
        } else if (kind === 'path') {
            const path = takePath(...given)
            steps.push(context => paint(context, path, now))
        } else if (kind === 'marks') {
            const path = takePath(given[0], given[1])
            const places = take(Float32Array, 2 * given[2])
            steps.push(context => mark(context, path, places, now))
        } else if (kind === 'text') {
            const path = toText(given[4], parts)
            steps.push(context => write(context, path, now.fill, given))
        } else if (kind === 'cells') {
            const [columns, rows, , length, table] = given.slice(4)
            const image = toImage(take(Uint8Array, length), columns, rows, parts[table])
            steps.push(context => place(context, image, given))
        } else style = { ...style, [kind]: given } // fill, stroke, line, dashes
    }
    return steps
}

// by matplotlib's codes; without codes it is a line
const STROKES = { 1: 'moveTo', 2: 'lineTo', 3: 'quadraticCurveTo', 4: 'bezierCurveTo', 79: 'closePath' }

function toPath(points, codes) {
    const path = new Path2D()
    for (let i = 0; i < points.length / 2; i++) {
        const code = codes.length ? codes[i] : i ? 2 : 1
        path[STROKES[code]](...points.subarray(2 * i, 2 * i + 6)) // each takes as many as it needs
        if (code === 3 || code === 4) i += code - 2
    }
    return path
}

function toText(places, letters) {
    const path = new Path2D()
    for (const [which, e, f, size] of places)
        path.addPath(letters[which], { a: size / 64, d: size / 64, e, f })
    return path
}

// colours of their own, four bytes a cell, or one byte, its place in a table of colours
function toImage(cells, columns, rows, table) {
    const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
    const image = new ImageData(columns, rows)
    image.data.set(table ? new Uint8Array(Uint32Array.from(cells, cell => table[cell]).buffer) : cells)
    canvas.getContext('2d').putImageData(image, 0, 0)
    return canvas
}

function clip(context, box, path) {
    context.restore() // to what it was without clipping
    context.save()
    const all = new Path2D()
    all.rect(...(box ?? [0, 0, 1e5, 1e5]))
    context.clip(all)
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
    context.save()
    context.globalAlpha = alpha
    context.imageSmoothingEnabled = false
    context.translate(left, bottom)
    context.scale((right - left) / columns, (top - bottom) / rows)
    context.drawImage(image, 0, 0)
    context.restore()
}

// ── The player ──

// Shows in `element` what `answerer` tells for the values of `controls`:
//     values()               {name: value}
//     neighbours(name)       settings near the present one, the nearest first
//     onMove(callback)       call back with the name of a control when its value changes
//     onRest(callback)       call back with the name of a control when the reader turns to it
// It ends when `signal` says so.
export function play(element, answerer, controls, label, signal) {
    const large = 'style="font-size: 1.1em; line-height: 1.4"'
    element.innerHTML = `<canvas class="live-picture" role="img" data-frames="0" style="max-width: 100%">
        </canvas><p role="alert" ${large} hidden></p><p aria-live="polite" ${large}></p>`
    const [canvas, problem, caption] = element.children
    canvas.setAttribute('aria-label', label)

    const frames = new Map() // setting → frame
    const pieces = new Map() // name → steps, a table or a letter
    const asked = new Map() // setting → when it was asked for
    let bytes = 0
    let moves = 1 // the number of the present position, and of the one that the picture shows
    let shown = 0
    let picture = null
    let ahead = []
    let resting = null
    let effort = 0 // milliseconds that `update` took of late

    const keyOf = values =>
        JSON.stringify(values, (_, value) => (typeof value === 'number' ? +value.toPrecision(9) : value))

    function draw(frame) {
        picture = frame
        const ratio = window.devicePixelRatio
        const [width, height] = picture.size.map(length => Math.round(length * ratio))
        const context = canvas.getContext('2d')
        if (canvas.width !== width || canvas.height !== height) {
            Object.assign(canvas, { width, height })
            canvas.style.width = `${picture.size[0]}px`
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0)
        context.clearRect(0, 0, ...picture.size)
        for (const steps of picture.steps) {
            context.save()
            for (const step of steps) step(context)
            context.restore()
        }
        canvas.dataset.frames = +canvas.dataset.frames + 1
    }

    // a frame, or an error in words in place of the picture
    function show(answer, number) {
        shown = number
        canvas.hidden = Boolean(answer.error)
        problem.hidden = !answer.error
        problem.textContent = answer.error ? `This picture could not be drawn. ${answer.error.message}` : ''
        const says = answer.caption ?? ''
        if (caption.textContent !== says) caption.textContent = says
        if (!answer.error) draw(answer)
    }

    function forget() {
        for (const kept of [frames, pieces, asked]) kept.clear()
        bytes = ahead.length = 0
        answerer.forget()
    }

    async function ask(values, isAhead) {
        const key = keyOf(values)
        const number = moves
        const start = performance.now()
        asked.set(key, start)
        const answer = await answerer.ask(values, isAhead).catch(error => ({ error }))
        effort = (effort + (answer?.frame?.effort ?? answer?.error?.effort ?? 0)) / 2 // one hiccup is no rule
        if (asked.get(key) !== start || signal.aborted) return // forgotten meanwhile
        asked.delete(key)
        if (answer?.frame) {
            for (const [name, data] of answer.news) {
                pieces.set(name, readPiece(data, pieces))
                bytes += data.byteLength
            }
            frames.set(key, { ...answer.frame, steps: answer.frame.pieces.map(name => pieces.get(name)) })
            bytes += 1000
        }
        const found = frames.get(key) ?? (!isAhead && answer)
        if (found && key === keyOf(controls.values())) show(found, moves)
        else if (found && !isAhead && number > shown) show(found, number)
        if (bytes > MOST_BYTES) forget()
        pump()
    }

    // Ask for the present position; with nothing else to do, ask ahead, one at a time.
    function pump() {
        if (signal.aborted) return
        const key = keyOf(controls.values())
        const isUnderWay = key => asked.get(key) > performance.now() - LOST
        const waiting = [...asked.keys()].filter(isUnderWay).length
        if (shown < moves && !frames.has(key)) {
            if (!isUnderWay(key) && waiting < 2) ask(controls.values(), false)
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
        clearTimeout(resting)
        resting = setTimeout(() => {
            resting = null
            ahead = controls.neighbours(name)
            pump()
        }, REST)
    }

    window.addEventListener('resize', () => picture && draw(picture), { signal })
    document.addEventListener('visibilitychange', pump, { signal })
    controls.onMove(move)
    controls.onRest(rest)
    answerer.onChange(() => pump(forget()))
    pump()
}

// ── The kernel answers, ipywidgets are the controls ──

function kernelAnswerer(model, signal) {
    const open = new Map() // number of the question → {resolve, reject}
    let memory = Math.random().toString(36) // the kernel notes under this name what it has sent
    listen(model, 'msg:custom', signal, (content, buffers) => {
        const question = open.get(content.number)
        open.delete(content.number)
        if (content.memory !== memory || !question) return // another page asked, or it is forgotten
        if (content.error) return question.reject(Object.assign(new Error(content.error), content))
        const bytes = buffers.map(view => new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
        const news = content.news?.map((name, i) => [name, bytes[i]])
        question.resolve(content.frame ? { frame: content.frame, news } : null)
    })
    return {
        ask: (values, isAhead) =>
            new Promise((resolve, reject) => {
                const number = Math.random()
                open.set(number, { resolve, reject })
                model.send({ number, memory, values, ahead: isAhead })
            }),
        forget: () => (memory = Math.random().toString(36)),
        onChange: callback => listen(model, 'change:generation', signal, callback),
    }
}

async function widgetControls(model, element, signal) {
    const widgets = {}
    for (const [name, id] of Object.entries(model.get('controls')))
        widgets[name] = await model.widget_manager.get_model(id)
    const names = Object.keys(widgets)
    const field = name => ('index' in widgets[name].attributes ? 'index' : 'value')
    const values = () => Object.fromEntries(names.map(name => [name, widgets[name].get(field(name))]))
    const neighbours = name => nearby(widgets[name].attributes).map(value => ({ ...values(), [name]: value }))
    const isOurs = target => target.closest('.live-figure')?.contains(element)
    let pressed = null
    const onMove = move => {
        for (const name of names)
            listen(widgets[name], `change:${field(name)}`, signal, () => pressed || move(name))
        // A button moves its controls here: in the kernel its click might overtake an earlier move.
        const press = ({ target }) => {
            pressed = isOurs(target) && model.get('presets')[target.closest('button')?.textContent]
            if (!pressed) return
            for (const name in pressed) widgets[name].set(field(name), pressed[name])
            for (const name in pressed) widgets[name].save_changes()
            move(Object.keys(pressed)[0])
            pressed = null
        }
        document.addEventListener('click', press, { signal, capture: true })
    }
    const onRest = callback => {
        const look = ({ target }) => {
            if (!isOurs(target)) return
            for (const handle of element.closest('.live-figure').querySelectorAll('[role=slider]'))
                handle.ariaLabel = handle.closest('.widget-inline-hbox').querySelector('label').textContent
            const name = names.find(name => target.closest(`.live-control-${name}`))
            if (name) callback(name)
        }
        for (const event of ['focusin', 'pointerover']) document.addEventListener(event, look, { signal })
        setTimeout(() => look({ target: element }), 1000) // ipywidgets leaves its handles without a name
    }
    return { values, neighbours, onMove, onRest }
}

function listen(model, event, signal, callback) {
    model.on(event, callback)
    signal.addEventListener('abort', () => model.off(event, callback))
}

// values of a control near the present one, the nearest first; a menu has no step
function nearby({ value, index, base, _options_labels, step = 1, min = 0, max = _options_labels?.length - 1 }) {
    if (typeof value === 'boolean') return [!value]
    const now = index ?? (base ? Math.log(value) / Math.log(base) : value)
    const count = Math.round((now - min) / step)
    const around = Array.from({ length: 2 * AHEAD }, (_, i) => count + (i % 2 ? -i - 1 : i + 2) / 2)
    const places = around.map(n => +(min + n * step).toPrecision(12)).filter(n => n >= min && n <= max + 1e-9)
    return base ? places.map(exponent => base ** exponent) : places
}

export default {
    async render({ model, el }) {
        const end = new AbortController()
        const controls = await widgetControls(model, el, end.signal)
        play(el, kernelAnswerer(model, end.signal), controls, model.get('label'), end.signal)
        return () => end.abort()
    },
}
