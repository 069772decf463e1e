/** The first few of these and how many more there are: `a, b, and 3 more`. `hint`: where the others stand. */
export function firstFew(names: readonly string[], most: number, hint = ''): string {
  const more = names.length - most
  return [...names.slice(0, most), ...(more > 0 ? [`and ${more} more${hint}`] : [])].join(', ')
}
