// A live figure in the page: draws frames, caches them, requests those it lacks, and prefetches.
//
// A frame is what the figure shows for one setting of its controls: {size, caption, displayLists,
// updateTime}, the display lists by their digests, in drawing order (some of a recording's by numbers). What a
// digest stands for comes once, as bytes (`_display_list.py` says how they are written). A client is one of two
// with the same methods: of the kernel, below, or of a recording (`recording.js`).
//     request(values, isPrefetch, isAnew)  a promise of {frame, sent: [[digest, bytes], …]}; of null where a
//                                  frame cannot be prefetched; rejected with an error whose message is for the
//                                  reader. Anew: whatever was kept, computed now
//     reset()                      from now on send what was already sent, too
//     onInvalidate(callback)       call back when cached frames are no longer true
//     mayChange                    whether frames may become wrong without such a call

/**
 * @typedef {Record<string, any>} Values  {name of a control: its value}
 * @typedef {{size: number[], caption: string, displayLists: (string | number)[], updateTime: number}} Frame
 * @typedef {{frame: Frame, sent: [string | number, Uint8Array][]}} Answer
 * @typedef {{request: (values: Values, isPrefetch: boolean, isAnew?: boolean) => Promise<Answer | null>,
 *            reset: () => void, onInvalidate: (callback: () => void) => void, mayChange?: boolean}} Client
 * @typedef {{values: () => Values, neighbours: (name: string) => Values[],
 *            onMove: (callback: (name: string) => void) => void,
 *            onRest: (callback: (name: string) => void) => void}} Controls
 * @typedef {CanvasRenderingContext2D} Context
 * @typedef {{fill?: any[], stroke?: any[], line?: any[], dashes?: any[]}} Style  as in the operations
 */

const PREFETCHED = 20 // neighbours on each side of a slider that are requested while the reader rests on it
const REST = 120 // milliseconds without a move that count as a rest
const AT_ONCE = 2 // neighbours that are requested and not yet answered
const SYNCED = 250 // milliseconds until a dragged slider's widget in the kernel gets its next value
const PAUSE = 1000 // milliseconds until the kernel, busy with a cell, is asked again
const SLOW = 50 // where `update` takes more milliseconds than this, nothing is prefetched
const TIMEOUT = 10_000 // milliseconds after which an answer is no longer waited for
const STILL = 700 // milliseconds without a new caption until it is announced: a held key repeats sooner
const ANNOUNCED = 5000 // milliseconds that screen readers have for it
const MAX_BYTES = 8e6 // when the cache has so many bytes, it is cleared

// ── Display lists ──

/**
 * The header of a display list, and a function that reads the next array of its body.
 * @param {Uint8Array} bytes
 * @returns {[[string[], any[][]], (Kind: any, length: number) => any]}
 */
export function parse(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)))
    let at = 4 + length
    const read = (Kind, length) => {
        const end = at + length * Kind.BYTES_PER_ELEMENT
        const array = new Kind(bytes.slice(at, end).buffer)
        at = end + (-end & 3)
        return array
    }
    return [header, read]
}

// The operations of a display list become `steps`, functions that draw on a canvas' context; a colour table
// becomes an array of colours, a glyph a path.
function decode(bytes, decoded) {
    const [[digests, operations], read] = parse(bytes)
    const resources = digests.map(digest => decoded.get(digest))
    const readPath = (points, codes) => toPath(read(Float32Array, 2 * points), read(Uint8Array, codes))
    const steps = /** @type {any} */ ([])
    let style = /** @type {Style} */ ({})
    for (const [kind, ...given] of operations) {
        if (kind === 'table') return read(Uint32Array, given[0])
        if (kind === 'glyph') return toPath(read(Int16Array, 2 * given[0]), read(Uint8Array, given[0]))
        const now = style
        if (kind === 'clip') {
            const [box, ...path] = given
            const inside = path.length ? readPath(...path) : null
            steps.push(context => clip(context, box, inside))
        } else if (kind === 'path') {
            const points = read(Float32Array, 2 * given[0])
            const path = toPath(points, read(Uint8Array, given[1]))
            if (steps.curve) steps.curve.pixels ??= points
            steps.push(context => drawPath(context, path, now))
        } else if (kind === 'curve') {
            const [box, limits, isLogarithmic, names] = given
            steps.curve = { box, limits, isLogarithmic, names }
        } else if (kind === 'markers') {
            const path = readPath(given[0], given[1])
            const places = read(Float32Array, 2 * given[2])
            steps.push(context => drawMarkers(context, path, places, now))
        } else if (kind === 'collection') {
            steps.push(toCollection(given, read))
        } else if (kind === 'text') {
            const path = toText(given[4], resources)
            steps.push(context => drawText(context, path, now.fill, given))
        } else if (kind === 'cells') {
            const [columns, rows, , length, table] = given.slice(4)
            const image = toImage(read(Uint8Array, length), columns, rows, resources[table])
            steps.push(context => drawCells(context, image, given))
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

/**
 * Many items: places, shapes and looks, each of which repeats from its start where there are fewer than items.
 * @param {any[]} given
 */
function toCollection(given, read) {
    const [items, places, lengths, points, codes, many, faces, edges, widths, dashes, cap, join] = given
    const offsets = read(Float32Array, 2 * places)
    const counts = read(Uint32Array, lengths)
    const [vertices, kinds] = [read(Float32Array, 2 * points), read(Uint8Array, codes)]
    const matrices = read(Float32Array, 6 * many)
    const [fills, strokes] = [faces, edges].map(length => Array.from(read(Uint32Array, length), toColour))
    const lines = Array.from(read(Float32Array, widths), width => [width, cap, join])
    let at = 0
    let shapes = Array.from(counts, count => {
        at += count
        return toPath(vertices.subarray(2 * (at - count), 2 * at), kinds.subarray(at - count, at))
    })
    if (many) shapes = Array.from({ length: many }, (_, i) => transformed(shapes[0], matrices.subarray(6 * i)))
    const of = (list, i) => list[i % list.length]
    return context => {
        for (let i = 0; i < items; i++) {
            const n = 2 * (i % places)
            const line = of(lines, i)
            const look = { fill: [of(fills, i)], stroke: [line[0] && of(strokes, i)], line, dashes: of(dashes, i) }
            context.translate(offsets[n], offsets[n + 1])
            drawPath(context, of(shapes, i), look)
            context.translate(-offsets[n], -offsets[n + 1])
        }
    }
}

function transformed(path, [a, b, c, d, e, f]) {
    const copy = new Path2D()
    copy.addPath(path, { a, b, c, d, e, f })
    return copy
}

// #rrggbbaa of the four bytes r, g, b, a; null for what cannot be seen
function toColour(bytes) {
    const hex = [0, 8, 16, 24].map(by => ((bytes >>> by) & 255).toString(16).padStart(2, '0'))
    return bytes >>> 24 ? `#${hex.join('')}` : null
}

function toText(places, glyphs) {
    const path = new Path2D()
    for (const [index, e, f, size] of places)
        path.addPath(glyphs[index], { a: size / 64, d: size / 64, e, f })
    return path
}

// colours of their own, four bytes a cell, or one byte, its index in a table of colours
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
    const [x, y, width, height] = box ?? [0, 0, 1e5, 1e5]
    all.rect(x, y, width, height)
    context.clip(all)
    if (path) context.clip(path)
}

/** @param {Context} context @param {Path2D} path @param {Style} style */
function drawPath(context, path, { fill, stroke, line, dashes }) {
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

function drawMarkers(context, path, places, style) {
    for (let i = 0; i < places.length; i += 2) {
        context.translate(places[i], places[i + 1])
        drawPath(context, path, style)
        context.translate(-places[i], -places[i + 1])
    }
}

/** @param {Context} context @param {Path2D} path @param {any[]} fill @param {any[]} given */
function drawText(context, path, fill, [x, y, angle, size]) {
    const before = context.getTransform()
    context.translate(x, y)
    context.rotate((-angle * Math.PI) / 180)
    context.scale(size, -size)
    context.fillStyle = fill[0]
    context.fill(path)
    context.setTransform(before)
}

/** @param {Context} context @param {HTMLCanvasElement} image @param {any[]} given */
function drawCells(context, image, [left, bottom, right, top, columns, rows, alpha]) {
    context.save()
    context.globalAlpha = alpha
    context.imageSmoothingEnabled = false
    context.translate(left, bottom)
    context.scale((right - left) / columns, (top - bottom) / rows)
    context.drawImage(image, 0, 0)
    context.restore()
}

// ── A curve that the reader draws first ──

const STEPS = 40 // of the arrow keys over the width and over the height of the axes
const KEYS = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
    PageDown: [-10, 0],
    PageUp: [10, 0],
    Home: [-STEPS, 0],
    End: [STEPS, 0],
}
const TASK = `Draw the curve that you expect into the picture, with the pointer, a finger or the arrow keys: left and
    right move along it, up and down set its height. Then press “Show it”.`.replace(/\s+/g, ' ')

/**
 * The height at x of a line through points [x, y] whose x grow; undefined beyond its ends.
 * @param {number[][]} points
 */
export function heightAt(points, x) {
    const next = points.findIndex(([right]) => right >= x)
    const [[left, low], [right, high]] = [points[next - 1] ?? points[next] ?? [], points[next] ?? []]
    if (right === x) return high
    return left < right ? low + ((high - low) * (x - left)) / (right - left) : undefined
}

/** A drawing after a stroke from one point to another, which replaces what was drawn between them. */
export function stroke(points, from, to) {
    const ends = from[0] === to[0] ? [to] : from[0] < to[0] ? [from, to] : [to, from]
    const [left, right] = [ends[0][0], ends.at(-1)[0]]
    return [...points.filter(([x]) => x < left), ...ends, ...points.filter(([x]) => x > right)]
}

/** How far a drawing is from a curve: on average, and where it is farthest; null if they have no x in common. */
export function difference(drawing, curve) {
    const [first, last] = [drawing[0]?.[0], drawing.at(-1)?.[0]]
    const places = Array.from({ length: 101 }, (_, n) => first + ((last - first) * n) / 100)
    const all = places.map(x => ({ x, by: heightAt(drawing, x) - heightAt(curve, x) }))
    const found = all.filter(({ by }) => !isNaN(by))
    if (!found.length) return null
    const mean = found.reduce((sum, { by }) => sum + Math.abs(by), 0) / found.length
    return { mean, ...found.reduce((most, each) => (Math.abs(each.by) > Math.abs(most.by) ? each : most)) }
}

/** The drawing on `canvas`, and a button that shows the curve or takes it away; `redraw` after every change. */
function startSketch(canvas, label, redraw, signal) {
    const sketch = { curve: null, isShown: false, paint, said }
    let drawing = []
    let cursor = null // of the arrow keys: [x, y]
    let last = null // where the pointer is down
    const part = (value, [from, to]) => (value - from) / (to - from)
    const at = (share, [from, to]) => from + Math.min(1, Math.max(0, share)) * (to - from)
    const moved = (place, from, to) => place.map((value, n) => at(part(value, from[n]), to[n]))
    const toData = place => moved(place, sketch.curve.box, sketch.curve.limits)
    const toPixels = place => moved(place, sketch.curve.limits, sketch.curve.box)
    const rounded = number => `${+number.toPrecision(2)}`.replace('-', '−')
    const shownX = x => rounded(sketch.curve.isLogarithmic ? 10 ** x : x)

    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'live-show' })
    button.style.cssText = 'display: block; font: inherit; min-height: 2.75rem; padding: 0 1rem'
    canvas.after(button)
    function prepare() {
        button.textContent = sketch.isShown ? 'Draw again' : 'Show it'
        canvas.tabIndex = sketch.isShown ? -1 : 0
        canvas.role = sketch.isShown ? 'img' : 'slider'
        canvas.ariaLabel = sketch.isShown ? label : `${label}. ${TASK}`
        canvas.style.touchAction = sketch.isShown ? '' : 'none'
        for (const name of ['valuemin', 'valuemax', 'valuenow', 'valuetext']) canvas.removeAttribute(`aria-${name}`)
        if (!sketch.isShown) Object.assign(canvas, { ariaValueMin: 0, ariaValueMax: STEPS, ariaValueNow: 0, ariaValueText: 'nothing drawn yet' })
    }
    const listenTo = (names, callback) => {
        for (const name of names)
            canvas.addEventListener(name, event => sketch.isShown || callback(event), { signal })
    }
    function add(from, to) {
        drawing = stroke(drawing, from, to)
        redraw()
    }
    const placeOf = ({ offsetX, offsetY }) => {
        const zoom = parseFloat(canvas.style.width) / canvas.clientWidth
        return toData([offsetX * zoom, offsetY * zoom])
    }
    listenTo(['pointerdown'], event => {
        canvas.setPointerCapture(event.pointerId)
        cursor = null
        add((last = placeOf(event)), last)
    })
    listenTo(['pointermove'], event => last && add(last, (last = placeOf(event))))
    listenTo(['pointerup', 'pointercancel'], () => (last = null))
    listenTo(['keydown'], event => {
        if (!KEYS[event.key]) return
        event.preventDefault()
        const { limits, names } = sketch.curve
        cursor ??= [drawing[0]?.[0] ?? limits[0][0], at(0.5, limits[1])]
        const [x, y] = cursor.map((value, n) => at(part(value, limits[n]) + KEYS[event.key][n] / STEPS, limits[n]))
        cursor = x === cursor[0] ? [x, y] : [x, heightAt(drawing, x) ?? y]
        canvas.ariaValueNow = Math.round(STEPS * part(x, limits[0]))
        canvas.ariaValueText = `${names[0]} ${shownX(x)}, ${names[1]} ${rounded(cursor[1])}`
        if (KEYS[event.key][1]) add(cursor, cursor)
        else redraw()
    })
    button.addEventListener('click', () => {
        sketch.isShown = !sketch.isShown
        if (!sketch.isShown) drawing = []
        cursor = last = null
        prepare()
        redraw()
    })
    prepare()

    function paint(context) {
        const path = new Path2D()
        for (const place of drawing.map(toPixels)) path.lineTo(place[0], place[1])
        drawPath(context, path, { stroke: ['#d0006f'], line: [3, 'round', 'round'], dashes: [[7, 6], 0] })
        for (const place of [cursor, drawing.length === 1 && drawing[0]].filter(Boolean).map(toPixels)) {
            context.fillStyle = '#d0006f'
            context.fillRect(place[0] - 4, place[1] - 4, 8, 8)
        }
    }

    function said(caption) {
        if (!sketch.isShown) return TASK
        const { pixels = [] } = sketch.curve
        const points = Array.from({ length: pixels.length / 2 }, (_, n) => toData([pixels[2 * n], pixels[2 * n + 1]]))
        const off = difference(drawing, points)
        if (!off) return caption
        const where = `at ${sketch.curve.names[0]} = ${shownX(off.x)}, where it is ${rounded(Math.abs(off.by))} too`
        const most = `${where} ${off.by > 0 ? 'high' : 'low'}`
        return `${caption} Your drawing (dashed) is ${rounded(off.mean)} off on average, and most ${most}.`
    }
    return sketch
}

// ── The player ──

/**
 * A function that lets screen readers announce a text once it has been the newest for a while: of the many that
 * come while a key is held, the last. What was announced is taken away again, as the page says it elsewhere.
 * @param {HTMLElement} place  a live region
 * @returns {(text: string) => void}
 */
export function announcer(place) {
    let timer = 0
    return text => {
        clearTimeout(timer)
        timer = setTimeout(() => {
            place.textContent = text
            timer = setTimeout(() => (place.textContent = ''), ANNOUNCED)
        }, STILL)
    }
}

/**
 * What stands for a setting in the cache. Whole numbers count in full, others to 15 digits: a power that the
 * page computes, for a logarithmic slider, may differ from the kernel's in the last one.
 * @param {Values} values
 */
export const keyOf = values =>
    JSON.stringify(values, (_, value) =>
        typeof value === 'number' && !Number.isInteger(value) ? +value.toPrecision(15) : value
    )

/**
 * Shows in `element` the frames of `client` for the values of `controls`:
 *     values()               {name: value}
 *     neighbours(name)       settings near the present one, the nearest first
 *     onMove(callback)       call back with the name of a control when its value changes
 *     onRest(callback)       call back with the name of a control when the reader turns to it
 * It ends when `signal` says so.
 * @param {HTMLElement} element
 * @param {Client} client
 * @param {Controls} controls
 * @param {string} label
 * @param {AbortSignal} signal
 */
export function play(element, client, controls, label, signal) {
    const large = 'style="font-size: 1.1em; line-height: 1.4"'
    element.innerHTML = `<canvas class="live-picture" role="img" data-frames="0"></canvas>
        <p role="alert" ${large} hidden></p><p class="live-caption" ${large}></p>
        <p aria-live="polite" style="clip-path: inset(50%); height: 1px; margin: -1px 0 0; overflow: hidden;
            width: 1px"></p>`
    const [canvas, problem, caption, place] = /** @type {any} */ (element.children)
    const announce = announcer(place)
    canvas.setAttribute('aria-label', label)
    Object.assign(canvas.style, { maxWidth: '100%', verticalAlign: 'top' })

    const frames = new Map() // key of a setting → frame
    const decoded = new Map() // digest → steps, a table or a glyph
    const pending = new Map() // key of a setting → {start: when it was requested, isPrefetch}
    let bytes = 0
    let moves = 1 // the number of the present position, and of the one that the picture shows
    let shown = 0
    let picture = null
    let queue = [] // settings to prefetch
    let resting = null
    let updateTime = 0 // milliseconds that `update` took of late
    let confirmed = 1 // the number of the last position whose frame was computed anew
    let sketch = null // what the reader draws before a curve is shown
    let enlarged = 1 // how much larger than the figure a page shows it, by its own style: so many more pixels

    function draw(frame) {
        picture = frame
        const ratio = window.devicePixelRatio * enlarged
        const [width, height] = picture.size.map(length => Math.round(length * ratio))
        const context = canvas.getContext('2d')
        if (canvas.width !== width || canvas.height !== height) {
            Object.assign(canvas, { width, height })
            canvas.style.width = `${picture.size[0]}px`
            canvas.style.setProperty('--live-aspect', `${picture.size[0] / picture.size[1]}`)
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0)
        context.clearRect(0, 0, ...picture.size)
        for (const steps of picture.steps) {
            if (steps.curve && sketch && !sketch.isShown) continue
            context.save()
            for (const step of steps) step(context)
            context.restore()
        }
        sketch?.paint(context)
        canvas.dataset.frames = +canvas.dataset.frames + 1
    }

    // a frame, or an error in words in place of the picture, which stays where the kernel is gone
    function show(answer, number) {
        const isFirst = !shown
        shown = number
        problem.hidden = !answer.error
        problem.textContent = answer.error?.message ?? ''
        if (answer.error?.isGone) return
        canvas.hidden = Boolean(answer.error)
        const curve = answer.steps?.find(steps => steps.curve)?.curve
        if (curve) sketch ??= startSketch(canvas, label, () => show(picture, shown), signal)
        if (curve) sketch.curve = curve
        const text = (answer.error ? '' : sketch?.said(answer.caption)) ?? answer.caption ?? ''
        if (caption.textContent !== text) {
            caption.textContent = text
            if (!isFirst) announce(text)
        }
        if (!answer.error) draw(answer)
    }

    function invalidate() {
        for (const cache of [frames, decoded, pending]) cache.clear()
        bytes = queue.length = 0
        client.reset()
    }

    function keep(sent = []) {
        for (const [digest, data] of sent) {
            decoded.set(digest, decode(data, decoded))
            bytes += data.byteLength
        }
    }

    // Where the reader rests, and after a cell, the frame is computed anew: what it shows may have changed.
    async function confirm() {
        const before = canvas.hidden ? null : picture
        const values = controls.values()
        const number = (confirmed = moves)
        pending.set(keyOf(values), { start: performance.now() })
        const answer = /** @type {any} */ (await client.request(values, true, true).catch(error => ({ error })))
        if (!pending.delete(keyOf(values)) || signal.aborted) return
        keep(answer?.sent)
        const content = ({ caption, displayLists, size }) => JSON.stringify([caption, displayLists, size])
        if (!answer) {
            confirmed = 0 // a cell runs
            return rest('', PAUSE)
        }
        if (answer.error ? before : !before || content(answer.frame) !== content(before)) {
            const neighbours = queue.slice()
            invalidate()
            queue = neighbours
            if (number === moves) confirmed = moves += 1
        }
        pump()
    }

    async function request(values, isPrefetch) {
        const key = keyOf(values)
        const number = moves
        const open = { start: performance.now(), isPrefetch }
        pending.set(key, open)
        const answer = /** @type {any} */ (await client.request(values, isPrefetch).catch(error => ({ error })))
        const took = answer?.frame?.updateTime ?? answer?.error?.updateTime ?? 0
        updateTime = (updateTime + took) / 2 // one hiccup is no rule
        if (pending.get(key) !== open || signal.aborted) return // invalid meanwhile
        pending.delete(key)
        if (answer?.frame) {
            keep(answer.sent)
            const steps = answer.frame.displayLists.map(digest => decoded.get(digest))
            frames.set(key, { ...answer.frame, steps })
            bytes += 1000
        }
        const found = frames.get(key) ?? (!isPrefetch && answer)
        if (found && key === keyOf(controls.values())) show(found, moves)
        else if (found && !isPrefetch && number > shown) show(found, number)
        if (bytes > MAX_BYTES) invalidate()
        pump()
    }

    // Request the present position; with nothing else to do, prefetch, two frames at a time.
    function pump() {
        if (signal.aborted) return
        const key = keyOf(controls.values())
        const isOpen = request => request?.start > performance.now() - TIMEOUT
        const open = [...pending.values()].filter(isOpen)
        const asked = open.filter(request => !request.isPrefetch).length
        if (shown < moves && !frames.has(key)) {
            if (!isOpen(pending.get(key)) && asked < 2) request(controls.values(), false)
        } else if (!asked && !resting && updateTime < SLOW && !document.hidden) {
            if (client.mayChange && confirmed < moves && picture) return void confirm()
            queue = queue.filter(values => !frames.has(keyOf(values)) && !isOpen(pending.get(keyOf(values))))
            for (const values of queue.splice(0, AT_ONCE - open.length)) request(values, true)
        }
    }

    function move(name) {
        moves += 1
        const frame = frames.get(keyOf(controls.values()))
        if (frame) show(frame, moves)
        rest(name)
        pump()
    }

    function rest(name, time = REST) {
        clearTimeout(resting)
        resting = setTimeout(() => {
            resting = null
            if (name) queue = controls.neighbours(name)
            pump()
        }, time)
    }

    window.addEventListener('resize', () => picture && draw(picture), { signal })
    const watch = new ResizeObserver(() => {
        if (!picture) return
        const { width } = canvas.getBoundingClientRect()
        const before = enlarged
        enlarged = width > picture.size[0] + 1 ? width / picture.size[0] : 1
        if (enlarged !== before) draw(picture)
    })
    watch.observe(canvas)
    signal.addEventListener('abort', () => watch.disconnect())
    document.addEventListener('visibilitychange', pump, { signal })
    controls.onMove(move)
    controls.onRest(rest)
    client.onInvalidate(() => {
        invalidate()
        confirmed = 0
        rest('')
        pump()
    })
    pump()
}

// ── The kernel answers, ipywidgets are the controls ──

const GONE = 'Python was restarted. Run → Run All Cells makes the picture move again.'

/** @returns {Client} */
function kernelClient(model, control, signal) {
    const open = new Map() // id of a request → {resolve, reject}
    let client = Math.random().toString(36) // the kernel keeps under this name what it has sent
    listen(model, 'msg:custom', signal, (content, buffers) => {
        const request = open.get(content.id)
        open.delete(content.id)
        if (content.client !== client || !request) return // another page's, or from before a reset
        const said = `This picture could not be drawn. ${content.error}`
        if (content.error) return request.reject(Object.assign(new Error(said), content))
        const bytes = buffers.map(view => new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
        const sent = content.sent?.map((digest, i) => [digest, bytes[i]])
        request.resolve(content.frame ? { frame: content.frame, sent } : null)
    })
    return {
        request: (values, isPrefetch, isAnew = false) =>
            new Promise((resolve, reject) => {
                if (control?.comm_live === false) throw Object.assign(new Error(GONE), { isGone: true })
                const id = Math.random()
                open.set(id, { resolve, reject })
                model.send({ id, client, values, prefetch: isPrefetch, anew: isAnew })
            }),
        reset: () => (client = Math.random().toString(36)),
        onInvalidate: callback => {
            listen(model, 'change:generation', signal, callback)
            if (control) listen(control, 'comm_live_update', signal, callback)
        },
        mayChange: true,
    }
}

/** @returns {Promise<Controls>} */
async function widgetControls(model, element, signal) {
    const widgets = {}
    for (const [name, id] of Object.entries(model.get('controls')))
        widgets[name] = await model.widget_manager.get_model(id)
    const names = Object.keys(widgets)
    for (const name of names) syncRarely(widgets[name], signal)
    const field = name => ('index' in widgets[name].attributes ? 'index' : 'value')
    const inPage = name => widgets[name].constructor.serializers?.[field(name)] // of a date, for example
    const valueOf = name => {
        const value = widgets[name].get(field(name))
        return inPage(name)?.serialize?.(value, widgets[name]) ?? value
    }
    const values = () => Object.fromEntries(names.map(name => [name, valueOf(name)]))
    const neighbours = name => nearby(widgets[name].attributes).map(value => ({ ...values(), [name]: value }))
    const isOurs = target => target.closest('.live-figure')?.contains(element)
    // ipywidgets leaves its handles without a name, and says the exponent of a logarithmic slider
    const say = () => {
        for (const handle of element.closest('.live-figure')?.querySelectorAll('[role=slider]') ?? []) {
            const row = handle.closest('.widget-inline-hbox')
            handle.ariaLabel = row.querySelector('label').textContent
            handle.ariaValueText = row.querySelector('.widget-readout')?.textContent ?? handle.ariaValueText
        }
    }
    let pressed = null
    const onMove = move => {
        for (const name of names)
            listen(widgets[name], `change:${field(name)}`, signal, () => {
                queueMicrotask(say) // when the readout has followed
                if (!pressed) move(name)
            })
        // Who pressed a track, or a button by pointer, may go on by arrow keys, which Jupyter takes elsewhere.
        const focusOn = handle => handle?.focus({ preventScroll: true })
        // A button moves its controls here: in the kernel its click might overtake an earlier move.
        const press = ({ target, detail }) => {
            if (isOurs(target)) focusOn(target.closest('.noUi-target')?.querySelector('.noUi-handle'))
            pressed = isOurs(target) && model.get('presets')[target.closest('.live-preset')?.textContent]
            if (!pressed) return
            if (detail) focusOn(element.closest('.live-figure')?.querySelector('.noUi-handle'))
            for (const name in pressed)
                widgets[name].set(field(name), inPage(name)?.deserialize?.(pressed[name]) ?? pressed[name])
            for (const name in pressed) widgets[name].save_changes()
            move(Object.keys(pressed)[0])
            pressed = null
        }
        document.addEventListener('click', press, { signal, capture: true })
        // Jupyter would take the arrow keys of a slider or a menu for its cells; so marked, it leaves them.
        const keep = ({ target, key }) => {
            if ((target.role === 'slider' || target.localName === 'select') && isOurs(target))
                target.toggleAttribute('data-lm-suppress-shortcuts', /^(Arrow|Page|Home|End)/.test(key))
        }
        window.addEventListener('keydown', keep, { signal, capture: true })
        // A finger may be about to scroll the page: on a track it moves the handle when it goes up, not down,
        // and where the page scrolls the handle is let go (noUiSlider knows no touchcancel).
        const touch = event => {
            const track = isOurs(event.target) && event.target.closest('.noUi-target')
            if (track && !event.target.closest('.noUi-handle')) event.stopPropagation()
        }
        const letGo = ({ target }) => {
            if (isOurs(target)) document.documentElement.dispatchEvent(new MouseEvent('mouseup'))
        }
        document.addEventListener('touchstart', touch, { signal, capture: true, passive: true })
        document.addEventListener('touchcancel', letGo, { signal })
    }
    const onRest = callback => {
        const look = ({ target }) => {
            if (!isOurs(target)) return
            say()
            const name = names.find(name => target.closest(`.live-control-${name}`))
            if (name) callback(name)
        }
        for (const event of ['focusin', 'pointerover']) document.addEventListener(event, look, { signal })
        setTimeout(() => look({ target: element }), 1000)
    }
    return { values, neighbours, onMove, onRest }
}

// In a drag the kernel has a slider's values from the requests, and the message that ipywidgets sends of each
// costs JupyterLab as much as a picture. ipywidgets keeps the next value until the kernel has done with the one
// before; while the pointer is down it hears of that later. A key may run a cell: it finds the value there.
function syncRarely(widget, signal) {
    if (!widget._handle_status || Object.hasOwn(widget, '_handle_status')) return
    const done = /** @type {any[]} */ ([])
    let [isDown, timer] = [false, 0]
    const hear = status => Object.getPrototypeOf(widget)._handle_status.call(widget, status)
    function flush({ type }) {
        isDown = type === 'pointerdown'
        clearTimeout(timer)
        done.splice(0).forEach(hear)
    }
    widget._handle_status = status => {
        if (!isDown || status.content.execution_state !== 'idle') return hear(status)
        done.push(status)
        timer = setTimeout(() => done.splice(0).forEach(hear), SYNCED)
    }
    for (const event of ['pointerdown', 'pointerup', 'pointercancel', 'keydown'])
        window.addEventListener(event, flush, { signal, capture: true })
    signal.addEventListener('abort', event => {
        delete widget._handle_status
        flush(event)
    })
}

function listen(model, event, signal, callback) {
    model.on(event, callback)
    signal.addEventListener('abort', () => model.off(event, callback))
}

/**
 * Values of a control near the present one, the nearest first; a menu has no step.
 * @param {any} attributes  of the control's model
 * @returns {any[]}
 */
export function nearby({ value, index, base, _options_labels, step = 1, min = 0, max = _options_labels?.length - 1 }) {
    if (typeof value === 'boolean') return [!value]
    const now = index ?? (base ? Math.log(value) / Math.log(base) : value)
    if (typeof now !== 'number') return [] // a text, a range, several choices, a date
    const count = Math.round((now - min) / step)
    const around = Array.from({ length: 2 * PREFETCHED }, (_, i) => count + (i % 2 ? -i - 1 : i + 2) / 2)
    const places = around.map(n => +(min + n * step).toPrecision(12)).filter(n => n >= min && n <= max + 1e-9)
    return base ? places.map(exponent => base ** exponent) : places
}

export default {
    initialize({ model }) {
        model.send({ hello: true }) // this page can draw
    },
    async render({ model, el }) {
        const end = new AbortController()
        const controls = await widgetControls(model, el, end.signal)
        const [id] = Object.values(model.get('controls'))
        const control = id && (await model.widget_manager.get_model(id))
        const client = kernelClient(model, control, end.signal)
        // a figure without its kernel says so above its controls, none of which moves
        const say = () => {
            const figure = el.closest('.live-figure')
            const isGone = control.comm_live === false
            figure?.setAttribute('data-gone', isGone ? GONE : '')
            for (const part of figure?.children ?? []) part.inert = isGone && !part.contains(el)
        }
        if (control) listen(control, 'comm_live_update', end.signal, say)
        play(el, client, controls, model.get('label'), end.signal)
        return () => end.abort()
    },
}
