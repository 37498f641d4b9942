import { describe, expect, it } from 'vitest'
import { checkBudget, lowerBudget } from '../language/budget.mjs'

describe('checkBudget', () => {
  it('reports a value above its budget', () => {
    expect(checkBudget({ docs: { speech: 2.1 } }, { docs: { speech: 2 } })).toEqual({
      exceeded: [{ surface: 'docs', name: 'speech', value: 2.1, budget: 2 }],
      reducible: [],
    })
  })

  it('reports a value that is more than a tenth below its budget', () => {
    expect(checkBudget({ docs: { speech: 89, order: 90 } }, { docs: { speech: 100, order: 100 } })).toEqual({
      exceeded: [],
      reducible: [{ surface: 'docs', name: 'speech', value: 89, budget: 100 }],
    })
  })

  it('accepts values equal to their budget, including 0', () => {
    const values = { docs: { speech: 3, order: 0 } }
    expect(checkBudget(values, values)).toEqual({ exceeded: [], reducible: [] })
  })

  it('reports every value above 0 if it has no budget', () => {
    expect(checkBudget({ docs: { speech: 1, order: 0 } }, {}).exceeded).toEqual([
      { surface: 'docs', name: 'speech', value: 1, budget: 0 },
    ])
  })
})

describe('lowerBudget', () => {
  it('lowers budgets and adds missing budgets, but raises no budget', () => {
    const measured = { docs: { speech: 1, order: 5, motion: 7 }, messages: { bannedWords: 4 } }
    expect(lowerBudget(measured, { docs: { speech: 2, order: 3 } })).toEqual({
      docs: { speech: 1, order: 3, motion: 7 },
      messages: { bannedWords: 4 },
    })
  })

  it('removes the budgets of values that are no longer measured', () => {
    expect(lowerBudget({ docs: {} }, { docs: { speech: 2 }, notes: { speech: 3 } })).toEqual({ docs: {} })
  })
})
