import { describe, expect, it } from 'vitest'
import { parseDocuments } from '../../src/cluster/parse-documents.js'
import { InputError } from '../../src/messages/errors.js'

const parse = (text: string) => parseDocuments({ name: 'x.yaml', text })
const values = (text: string) => parse(text).map(({ value }) => value)

describe('parseDocuments for output for people', () => {
  it.each([
    ['kubectl describe', 'Name:              web\nNamespace:         shop\nLabels:            <none>\n'],
    ['kubectl describe node', 'Name:               node-1\nRoles:              <none>\n'],
    ['kubectl get', 'NAME   TYPE        CLUSTER-IP\nweb    ClusterIP   10.96.0.1\n'],
    ['kubectl get -A', 'NAMESPACE   NAME   TYPE        CLUSTER-IP\nshop   web    ClusterIP   10.96.0.1\n'],
  ])('names the command that prints whole objects instead of %s', (_, text) => {
    expect(() => parse(text)).toThrow(
      new InputError(
        'x.yaml: this is the output of kubectl describe or of kubectl get without -o yaml, which omits fields; run kubectl get TYPE NAME -o yaml instead',
      ),
    )
  })

  it.each(['Name: web\nNamespace: shop\n', 'Name:  web\n', 'NAME: web\n'])('accepts the YAML text %j', (text) => {
    expect(parse(text)).toHaveLength(1)
  })
})

describe('parseDocuments for malformed JSON', () => {
  it.each([
    ['{"a": 1,\n "b" 2}', 'document 1, line 2, column 6: '],
    ['{"a": 1}\n{"b": tru}', 'document 2, line 2, column '],
    ['{"a": 1}, {"b": 1}', 'document 2, line 1, column 9: '],
    ['[{"a": 1}}', 'document 1, line 1, column '],
  ])('reports the position of the error: %j', (text, place) => {
    expect(() => parse(text)).toThrow(InputError)
    expect(() => parse(text)).toThrow(`x.yaml: not JSON: ${place}`)
    try {
      parse(text)
    } catch (error) {
      expect(String(error)).not.toMatch(/position|\n/)
    }
  })
})

it('parseDocuments quotes no part of a malformed text', () => {
  for (const text of ['{"token": "SECRET" "SECRET"}', '{"a": SECRET} x', '["SECRET", SECRET}', 'a: "SECRET" SECRET']) {
    expect(() => parse(text)).toThrow(InputError)
    try {
      parse(text)
    } catch (error) {
      expect(String(error)).not.toContain('SECRET')
    }
  }
})

describe('parseDocuments', () => {
  it.each([
    ['JSON', '{"a": 1}', [{ a: 1 }]],
    ['JSON after blanks', '\n  [1, 2]', [[1, 2]]],
    ['JSON documents one after another', '{"a": "}\\"{"}\n{"b": [1]} [2]\n', [{ a: '}"{' }, { b: [1] }, [2]]],
    ['JSON as YAML documents', '{"a": 1}\n---\n{"b": 2}\n', [{ a: 1 }, { b: 2 }]],
    ['a YAML flow that is not JSON', '{a: 1}', [{ a: 1 }]],
    ['one YAML document', 'a: 1\n', [{ a: 1 }]],
    ['several YAML documents', 'a: 1\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
    ['documents without content', '---\n# nothing\n---\na: 1\n---\n', [{ a: 1 }]],
  ])('parses %s', (_, text, documents) => {
    expect(values(text)).toEqual(documents)
  })

  it('labels each document with its file, and with its number if the file has several documents', () => {
    const labels = (text: string) => parse(text).map(({ label }) => label)
    expect(labels('a: 1')).toEqual(['x.yaml'])
    expect(labels('a: 1\n---\n---\nb: 2')).toEqual(['x.yaml, document 1', 'x.yaml, document 3'])
  })

  it('rejects documents that are not objects', () => {
    expect(() => parse('hello')).toThrow(new InputError('x.yaml: expected a Kubernetes object, got a string'))
    expect(() => parse('a: 1\n---\n5')).toThrow(
      new InputError('x.yaml, document 2: expected a Kubernetes object, got a number'),
    )
  })

  it('treats the key __proto__ like any other key', () => {
    expect(Object.keys(values('{"__proto__": 1}')[0] ?? {})).toEqual(['__proto__'])
    expect(Object.keys(values('__proto__: 1')[0] ?? {})).toEqual(['__proto__'])
  })

  it.each([
    ['an empty text', '', 'empty'],
    ['a text of blanks', ' \n\n', 'empty'],
    ['a comment', '# later\n', 'empty'],
    ['null', 'null', 'empty'],
    ['truncated JSON', '{"a": [1,', 'not JSON: document 1, line 1, column 7: the bracket or quote is not closed'],
    [
      'JSON that is truncated within a text',
      '{\n  "a": "x',
      'not JSON: document 1, line 2, column 8: the bracket or quote is not closed',
    ],
    [
      'a second JSON document that is truncated',
      '{"a": 1}\n{"b": {"c": 1}',
      'not JSON: document 2, line 2, column 1: the bracket or quote is not closed',
    ],
    [
      'a YAML flow that is truncated',
      '{a: [1,',
      'document 1, line 1, column 8: unexpected end of the stream within a flow collection',
    ],
    [
      'a truncated second document',
      'a: 1\n---\nb: "x',
      'document 2, line 3, column 6: unexpected end of the stream within a double quoted scalar',
    ],
    [
      'an invalid document before ---',
      '# c\n---\na: [',
      'document 1, line 3, column 5: unexpected end of the stream within a flow collection',
    ],
    ['a duplicate key', 'a: 1\na: 2\n', 'document 1, line 2, column 1: duplicated mapping key'],
  ])('rejects %s', (_, text, reason) => {
    expect(() => parse(text)).toThrow(new InputError(`x.yaml: ${reason}`))
  })
})
