import type { Table } from '../ast.js'
import { printListing } from '../print/print-listing.js'

/**
 * Whether a table has only names, words and numbers that a listing can have. Text cannot say others, but JSON can: nobody gets a table
 * from us that printing then throws at.
 */
export function isPrintable(table: Table): boolean {
  try {
    printListing(table, { version: '1.1' })
    return true
  } catch {
    return false
  }
}
