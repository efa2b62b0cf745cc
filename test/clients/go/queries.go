package main

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// queried returns the rows of a query. An empty key asks all ranges.
func queried(container *azcosmos.ContainerClient, query string, key azcosmos.PartitionKey, parameters []azcosmos.QueryParameter) []any {
	rows := []any{}
	pager := container.NewQueryItemsPager(query, key, &azcosmos.QueryOptions{QueryParameters: parameters})
	for pager.More() {
		for _, item := range must(pager.NextPage(background)).Items {
			rows = append(rows, rowOf(item))
		}
	}
	return rows
}

// rowOf decodes a row, and leaves out the properties of the system.
func rowOf(text []byte) any {
	var row any
	if err := json.Unmarshal(text, &row); err != nil {
		fail("%q is not a row: %v", text, err)
	}
	if properties, isObject := row.(object); isObject {
		for name := range properties {
			if name[0] == '_' {
				delete(properties, name)
			}
		}
	}
	return row
}

func (given *shop) stored(name string) *azcosmos.ContainerClient {
	return must(given.client.NewContainer("queries", name))
}

func (given *shop) compare(one queryCase) {
	key := azcosmos.NewPartitionKey()
	if one.Key != nil {
		key = keyOf(*one.Key)
	}
	found, expected := queried(given.stored(one.Container), one.Query, key, one.Parameters), one.Rows
	if !one.IsOrdered {
		same(texts(found), texts(expected))
		return
	}
	same(found, expected)
}

func texts(rows []any) []string {
	found := []string{}
	for _, row := range rows {
		found = append(found, string(encoded(row)))
	}
	return sorted(found)
}

func numbered(container *azcosmos.ContainerClient, count, keys int) {
	for n := range count {
		create(container, azcosmos.NewPartitionKeyNumber(float64(n%keys)), object{"id": strconv.Itoa(n), "pk": n % keys})
	}
}

// drained returns the ids of every change of one range or key from a position, and the token that continues it.
func drained(container *azcosmos.ContainerClient, options azcosmos.ChangeFeedOptions) ([]string, string) {
	changes := [][]byte{}
	for {
		page := must(container.ReadChangeFeed(background, &options))
		changes = append(changes, page.Items...)
		token := page.ContinuationToken
		options.Continuation = &token
		if page.Count == 0 {
			return idsOf(changes), token
		}
	}
}

func numbersFrom(first, end, step int) []string {
	found := []string{}
	for n := first; n < end; n += step {
		found = append(found, strconv.Itoa(n))
	}
	return sorted(found)
}

func init() {
	for _, row := range []string{"order-by", "top", "offset-limit", "distinct", "distinct-falsy", "group-by", "aggregates", "composed", "vector", "hybrid"} {
		unsupported[row] = "the client sends a query over several ranges without a plan, so only filters and projections work"
	}
	unsupported["plan"] = "the client asks for no plans"
	unsupported["all-versions"] = "the client reads only the latest versions"
	for _, row := range []string{"filter", "join"} {
		checks[row] = func(given *shop) {
			for _, one := range given.Queries {
				if one.Check == row {
					given.compare(one)
				}
			}
		}
	}

	checks["paging"] = func(given *shop) {
		ask := func(client *azcosmos.Client, token *string) azcosmos.QueryItemsResponse {
			options := &azcosmos.QueryOptions{PageSizeHint: 12, ContinuationToken: token}
			container := must(client.NewContainer("queries", "orders"))
			return must(container.NewQueryItemsPager("SELECT * FROM c", azcosmos.NewPartitionKey(), options).NextPage(background))
		}
		page := ask(given.client, nil)
		ids := idsOf(page.Items)
		for page.ContinuationToken != nil && *page.ContinuationToken != "" {
			same(len(page.Items) <= 12, true)
			page = ask(given.connected(given.Key), page.ContinuationToken)
			ids = append(ids, idsOf(page.Items)...)
		}
		expected := []string{}
		for n := range 90 {
			expected = append(expected, "d"+strings.Repeat("0", 2-len(strconv.Itoa(n)))+strconv.Itoa(n))
		}
		same(sorted(ids), expected)
	}

	checks["feed-ranges"] = func(given *shop) {
		container := given.container(nil)
		numbered(container, 40, 11)
		ranges := must(container.ReadFeedRanges(background, nil))
		same(len(ranges), 3)
		found := []string{}
		for _, one := range ranges {
			ids, _ := drained(container, azcosmos.ChangeFeedOptions{FeedRange: &one, MaxItemCount: 7})
			found = append(found, ids...)
		}
		same(sorted(found), numbersFrom(0, 40, 1))
	}

	checks["change-feed"] = func(given *shop) {
		container := given.container(nil)
		numbered(container, 50, 50)
		seen := []string{}
		positions := map[azcosmos.FeedRange]string{}
		for _, one := range must(container.ReadFeedRanges(background, nil)) {
			ids, token := drained(container, azcosmos.ChangeFeedOptions{FeedRange: &one, MaxItemCount: 7})
			seen, positions[one] = append(seen, ids...), token
		}
		same(sorted(seen), numbersFrom(0, 50, 1))
		must(container.UpsertItem(background, azcosmos.NewPartitionKeyNumber(3), encoded(object{"id": "3", "pk": 3, "again": true}), nil))
		create(container, azcosmos.NewPartitionKeyNumber(50), object{"id": "50", "pk": 50})
		must(container.DeleteItem(background, azcosmos.NewPartitionKeyNumber(4), "4", nil))
		later := []string{}
		for one, token := range positions {
			ids, _ := drained(container, azcosmos.ChangeFeedOptions{FeedRange: &one, Continuation: &token})
			later = append(later, ids...)
		}
		same(sorted(later), []string{"3", "50"})
	}

	checks["hierarchical-keys"] = func(given *shop) {
		container := given.container(func(properties *azcosmos.ContainerProperties) {
			paths := []string{"/tenant", "/user", "/session"}
			properties.PartitionKeyDefinition = azcosmos.PartitionKeyDefinition{Kind: "MultiHash", Version: 2, Paths: paths}
		})
		full := func(tenant, user string, session int) azcosmos.PartitionKey {
			return keyOf(tenant).AppendString(user).AppendNumber(float64(session))
		}
		for _, tenant := range []string{"a", "b"} {
			for _, user := range []string{"x", "y", "z"} {
				for session := range 4 {
					item := object{"id": tenant + user + strconv.Itoa(session), "tenant": tenant, "user": user, "session": session}
					create(container, full(tenant, user, session), item)
				}
			}
		}
		same(read(container, full("a", "x", 1), "ax1")["id"], "ax1")
		absent(container, full("a", "x", 2), "ax1")
		prefix := keyOf("a").AppendString("x")
		same(texts(queried(container, "SELECT VALUE c.id FROM c", prefix, nil)), texts([]any{"ax0", "ax1", "ax2", "ax3"}))
		same(len(queried(container, "SELECT * FROM c", keyOf("b"), nil)), 12)
		same(len(queried(container, "SELECT * FROM c WHERE c.session = 2", keyOf("b"), nil)), 3)
	}
}
