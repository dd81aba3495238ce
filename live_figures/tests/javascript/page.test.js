// The parts of page.js and recording.js that need no page; test_javascript.py puts them side by side.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'

import { difference, heightAt, keyOf, nearby, parse, stroke } from './page.js'
import { least, recordingClient, subsets, unshuffled } from './recording.js'

const bytesOf = name => new Uint8Array(readFileSync(new URL(name, import.meta.url)))

test('settings that agree have one key', () => {
    assert.equal(keyOf({ base: 0.1 + 0.2, word: 'dog' }), keyOf({ base: 0.3, word: 'dog' }))
    assert.notEqual(keyOf({ base: 0.3 }), keyOf({ base: 0.31 }))
    assert.notEqual(keyOf({ n: 1 }), keyOf({ n: '1' }))
    assert.notEqual(keyOf({ a: 1, b: 2 }), keyOf({ a: 2, b: 1 }))
    assert.notEqual(keyOf({ seconds: 1700000000 }), keyOf({ seconds: 1700000001 }))
    assert.notEqual(keyOf({ n: 2 ** 53 }), keyOf({ n: 2 ** 53 - 1 }))
    assert.notEqual(keyOf({ x: 1 + 1e-9 }), keyOf({ x: 1 + 2e-9 }))
})

test('the neighbours of a slider, the nearest first, within its range', () => {
    const near = nearby({ value: 5, min: 0, max: 8, step: 1 })
    assert.deepEqual(near, [6, 4, 7, 3, 8, 2, 1, 0])
    assert.deepEqual(nearby({ value: 0.3, min: 0, max: 0.4, step: 0.1 }), [0.4, 0.2, 0.1, 0])
    assert.equal(nearby({ value: 50, min: 0, max: 100, step: 1 }).length, 40)
})

test('the neighbours of a logarithmic slider are powers', () => {
    const near = nearby({ value: 100, min: 1, max: 3, step: 0.5, base: 10 })
    assert.deepEqual(
        near.map(value => Math.round(value)),
        [316, 32, 1000, 10],
    )
})

test('the neighbours of a menu are indices, of a check box its other value, of a text none', () => {
    assert.deepEqual(nearby({ value: 'b', index: 1, _options_labels: ['a', 'b', 'c'] }), [2, 0])
    assert.deepEqual(nearby({ value: true }), [false])
    assert.deepEqual(nearby({ value: 'the dog' }), [])
})

test('a display list from Python is read as it was written', () => {
    const [[digests, operations], read] = parse(bytesOf('list.bin'))
    assert.deepEqual(digests, ['a resource'])
    assert.deepEqual(operations, [['path', 2, 3], ['fill', '#ff0000ff']])
    assert.deepEqual([...read(Float32Array, 4)], [1, 2, 3.5, -4])
    assert.deepEqual([...read(Uint8Array, 3)], [1, 2, 79])
    assert.deepEqual([...read(Int16Array, 1)], [-7]) // begins at a multiple of four bytes
})

test('shuffled bytes come back in order', () => {
    const bytes = unshuffled(bytesOf('shuffled.bin'))
    assert.deepEqual([...bytes.subarray(0, 21)], [...Array(21).keys()])
    assert.equal(bytes.length, 24)
})

test('what costs least, of several the first', () => {
    assert.equal(least([3, 1, 2], item => item), 1)
    assert.equal(least([0, 4, 8], item => Math.abs(item - 2)), 0)
})

test('every choice of some items, the smallest first', () => {
    assert.deepEqual(subsets([1, 2]), [[], [1], [2], [1, 2]])
    assert.equal(subsets([1, 2, 3]).length, 8)
})

test('a recording sends each display list once, until it is reset', async () => {
    const recording = {
        bytes: new Uint8Array(16),
        size: [1, 1],
        resources: 1,
        states: { 0: 0, 1: 1, 2: 2 },
        frames: [['first', 1], ['second', 1], ['ValueError: no']],
        displayLists: [['glyph', 3, 0], ['line', 8, 8]],
    }
    const client = recordingClient(recording)
    const sent = async n => (await client.request({ n }, false))?.sent.map(([digest]) => digest)
    assert.deepEqual(await sent(0), ['glyph', 'line'])
    assert.deepEqual(await sent(1), [])
    client.reset()
    assert.deepEqual(await sent(1), ['glyph', 'line'])
    await assert.rejects(client.request({ n: 2 }, false), /ValueError: no/)
})

test('the height of a line between its points, and none beyond its ends', () => {
    const line = [[1, 10], [3, 20], [4, 0]]
    assert.deepEqual([1, 2, 3, 3.5, 4].map(x => heightAt(line, x)), [10, 15, 20, 10, 0])
    assert.deepEqual([0.9, 4.1].map(x => heightAt(line, x)), [undefined, undefined])
    assert.equal(heightAt([], 1), undefined)
})

test('a stroke replaces what it passes, in either direction', () => {
    const line = [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert.deepEqual(stroke(line, [0.5, 9], [2, 8]), [[0, 0], [0.5, 9], [2, 8], [3, 3]])
    assert.deepEqual(stroke(line, [2, 8], [0.5, 9]), stroke(line, [0.5, 9], [2, 8]))
    assert.deepEqual(stroke(line, [1, 7], [1, 7]), [[0, 0], [1, 7], [2, 2], [3, 3]])
    assert.deepEqual(stroke([], [1, 7], [1, 7]), [[1, 7]])
})

test('how far a drawing is from the curve, where both are', () => {
    const curve = [[0, 0], [10, 0]]
    assert.deepEqual(difference([[2, 1], [4, 1]], curve), { mean: 1, x: 2, by: 1 })
    const { mean, x, by } = difference([[5, 0], [10, -4]], curve)
    assert.deepEqual([mean.toFixed(6), x, by], ['2.000000', 10, -4])
    assert.equal(difference([[9, 3], [11, 3]], curve).mean, 3) // beyond 10 there is no curve
    assert.equal(difference([[11, 3], [12, 3]], curve), null)
    assert.equal(difference([], curve), null)
})
