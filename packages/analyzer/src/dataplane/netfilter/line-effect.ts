/** What one line by itself does with packets. */
export interface LineEffect {
  /** It refuses or drops them. */
  readonly refuses: boolean
  /** Where it sends them: `10.244.1.1:8080`; several places where it draws lots. */
  readonly sendsTo: readonly string[]
  /** It sends nobody there who has not been there before. */
  readonly takesNoMore: boolean
  /** The line as it stands in what the tool prints. */
  readonly rule: string
}
