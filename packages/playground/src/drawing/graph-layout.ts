import { type AvailableSize, CHARACTER_WIDTH, countTruncatedCharacters } from './fit-width.js'
import { type GraphBranch, type GraphChain, joinBranches, type PathGraph } from './path-graph.js'

export const ROW_HEIGHT = 18
/** The height of the box of a branch, and the distance of two branches. */
export const [BOX_HEIGHT, BRANCH_HEIGHT] = [20, 25]
/** The space between the border of a box and its text, at both sides together. */
export const TEXT_INSET = 24
/** The space above and below the rows of a card, together. */
const CARD_INSET = 8
/** The distance of two columns, and the additional distance for each character of a share. */
const [GAP, SHARE_CHARACTER] = [22, 6.5]
const MARGIN = 4
/** The maximum number of readable branches. */
const MOST_BRANCHES = 24
/** The minimum widths of a column of chains, and of the column of outcomes. */
const [LEAST_WIDTH, LEAST_END] = [100, 126]
const MOST_WIDTH = 230
/** The cost of a hidden row when layouts are compared, in truncated characters. */
const HIDDEN_ROW = 16

/** A row of a card: a hook and table, a chain, or the number of chains that do not fit. */
export interface CardRow {
  readonly text: string
  readonly title: string
  readonly chain?: GraphChain
}

/**
 * A column of the graph: cards with the chains that all paths have in common before or after the branches, a box for
 * each branch, or the outcomes.
 */
export type Column =
  | { readonly kind: 'before' | 'after'; readonly cards: readonly (readonly CardRow[])[] }
  | { readonly kind: 'branches' | 'ends'; readonly cards?: undefined }

/** A column with its place. */
export type PlacedColumn = Column & { readonly x: number; readonly width: number }

export interface GraphLayout {
  readonly width: number
  readonly height: number
  readonly columns: readonly PlacedColumn[]
  readonly branches: readonly GraphBranch[]
}

/**
 * Lays out a graph in columns, without scaling. Of the layouts that fit the room, chooses the layout that shows the
 * most text.
 */
export function layOutGraph(graph: PathGraph, room: AvailableSize): GraphLayout {
  const most = Math.floor((room.height - 2 * MARGIN + BRANCH_HEIGHT - BOX_HEIGHT) / BRANCH_HEIGHT)
  const branches = joinBranches(graph.branches, Math.min(MOST_BRANCHES, Math.max(2, most)))
  const candidates = columnsOf(graph).map((columns) => {
    const folded = columns.map((column) => foldColumn(column, room.height - 2 * MARGIN))
    return place(folded, branches, room.width)
  })
  const fitting = candidates.filter(({ width }) => width <= room.width)
  const lost = (layout: GraphLayout) => lostIn(layout, graph)
  if (fitting.length > 0) return fitting.reduce((best, each) => (lost(each) < lost(best) ? each : best))
  return candidates.at(-1) as GraphLayout
}

/** Returns the possible divisions of the graph into columns, from the widest to the narrowest. */
function columnsOf({ before, branches, after }: PathGraph): readonly (readonly Column[])[] {
  const middle: readonly Column[] = branches.some(({ chains }) => chains.length > 0) ? [{ kind: 'branches' }] : []
  const end: Column = { kind: 'ends' }
  const [splitBefore, splitAfter] = [byStage(before), byStage(after)]
  return [
    [...cardsOf('before', splitBefore), ...middle, ...cardsOf('after', splitAfter), end],
    [...cardsOf('before', splitBefore), ...middle, ...cardsOf('after', [after]), end],
    [...cardsOf('before', [before]), ...middle, ...cardsOf('after', [after]), end],
    [...stackCards([before, after]), ...middle, end],
    [...stackCards([before, after]), end],
  ]
}

/** Returns one column for each group of chains. */
function cardsOf(kind: 'before' | 'after', parts: readonly (readonly GraphChain[])[]): readonly Column[] {
  return parts.flatMap((chains) => (chains.length === 0 ? [] : [{ kind, cards: [rowsOf(chains)] }]))
}

/** Returns one column for all groups of chains. */
function stackCards(parts: readonly (readonly GraphChain[])[]): readonly Column[] {
  const cards = parts.filter(({ length }) => length > 0).map(rowsOf)
  return cards.length === 0 ? [] : [{ kind: 'before', cards }]
}

function byStage(chains: readonly GraphChain[]): readonly (readonly GraphChain[])[] {
  const parts: GraphChain[][] = []
  for (const chain of chains) {
    const last = parts.at(-1)
    if (last?.[0]?.stage === chain.stage) last.push(chain)
    else parts.push([chain])
  }
  return parts
}

function rowsOf(chains: readonly GraphChain[]): readonly CardRow[] {
  return byStage(chains).flatMap((part) => [
    { text: part[0]?.stage ?? '', title: part[0]?.stage ?? '' },
    ...part.map((chain) => ({ text: chain.label, title: chain.label, chain })),
  ])
}

/** Returns the height of the cards of a column. */
export function heightOfCards(cards: readonly (readonly CardRow[])[]): number {
  return cards.reduce((sum, rows) => sum + heightOfCard(rows.length) + CARD_INSET, -CARD_INSET)
}

/** Returns the height of a card with this many rows. */
export function heightOfCard(rows: number): number {
  return rows * ROW_HEIGHT + CARD_INSET
}

/** Hides rows in the middle of cards until the column fits. */
function foldColumn(column: Column, height: number): Column {
  if (column.cards === undefined) return column
  const cards = [...column.cards]
  while (heightOfCards(cards) > height) {
    const longest = cards.reduce((best, rows, index) => (rows.length > (cards[best]?.length ?? 0) ? index : best), 0)
    const rows = cards[longest] ?? []
    if (rows.length <= 2) break
    cards[longest] = foldRows(rows, rows.length - 1)
  }
  return { ...column, cards }
}

function foldRows(rows: readonly CardRow[], most: number): readonly CardRow[] {
  const folded = rows.findIndex(({ text }) => text.startsWith('…'))
  const middle = folded < 0 ? Math.floor(rows.length / 2) : folded
  // The fold (`… 3 more`) also hides the row before or after it, so that it stays in the middle.
  const [from, to] =
    folded < 0 ? [middle - 1, middle + 1] : middle > most - middle ? [middle - 1, middle + 1] : [middle, middle + 2]
  const titles = rows.slice(from, to).map(({ title }) => title)
  const title = titles.join('\n')
  const text = `… ${title.split('\n').length} more`
  return [...rows.slice(0, from), { text, title }, ...rows.slice(to)]
}

function place(columns: readonly Column[], branches: readonly GraphBranch[], room: number): GraphLayout {
  const natural = columns.map((column) =>
    Math.min(MOST_WIDTH, TEXT_INSET + CHARACTER_WIDTH * longestIn(column, branches)),
  )
  const least = natural.map((width, index) =>
    Math.min(width, columns[index]?.kind === 'ends' ? LEAST_END : LEAST_WIDTH),
  )
  const longestShare = Math.max(0, ...branches.map(({ share }) => share.length))
  const gaps = columns.map((_, index) =>
    index === 0 ? 0 : GAP + (index === findForkColumn(columns) ? longestShare * SHARE_CHARACTER : 0),
  )
  const fixed = 2 * MARGIN + sum(gaps)
  const spare = Math.max(0, room - fixed - sum(least))
  const missing = sum(natural) - sum(least)
  const part = missing === 0 ? 0 : Math.min(1, spare / missing)
  const widths = columns.map((_, index) => (least[index] ?? 0) + ((natural[index] ?? 0) - (least[index] ?? 0)) * part)
  let x = MARGIN
  const placed = columns.map((column, index): PlacedColumn => {
    const width = widths[index] ?? 0
    x += gaps[index] ?? 0
    const at = x
    x += width
    return { ...column, x: at, width }
  })
  const heights = columns.map((column) =>
    column.cards === undefined ? heightOfBranches(branches) : heightOfCards(column.cards),
  )
  return { width: fixed + sum(widths), height: Math.max(...heights) + 2 * MARGIN, columns: placed, branches }
}

/** Returns the index of the first column after the common chains. */
export function findForkColumn(columns: readonly Column[]): number {
  return columns.findIndex(({ kind }) => kind !== 'before')
}

/** Returns the height of all branches. */
export function heightOfBranches(branches: readonly GraphBranch[]): number {
  return (branches.length - 1) * BRANCH_HEIGHT + BOX_HEIGHT
}

function longestIn(column: Column, branches: readonly GraphBranch[]): number {
  return Math.max(0, ...textsIn(column, branches).map(({ length }) => length))
}

function textsIn(column: Column, branches: readonly GraphBranch[]): readonly string[] {
  if (column.cards !== undefined) return column.cards.flat().map(({ text }) => text)
  return branches.map((branch) => (column.kind === 'ends' ? branch.end : labelOfBranch(branch)))
}

/** Returns the label of a branch: its last chain. */
export function labelOfBranch({ chains }: GraphBranch): string {
  return chains.at(-1)?.label ?? ''
}

function lostIn({ columns, branches }: GraphLayout, { before, after, branches: all }: PathGraph): number {
  const rows = columns.flatMap((column) => column.cards?.flat() ?? [])
  const chains = [...before, ...after].length - rows.filter(({ chain }) => chain).length
  const hasMiddle = columns.some(({ kind }) => kind === 'branches') || all.every((each) => each.chains.length === 0)
  const cut = columns.flatMap((column) => {
    const room = Math.floor((column.width - TEXT_INSET) / CHARACTER_WIDTH)
    return textsIn(column, branches).map((text) => countTruncatedCharacters(text, room))
  })
  return sum(cut) + chains * HIDDEN_ROW + (hasMiddle ? 0 : branches.length * HIDDEN_ROW)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
