package main

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

type itemAnswer = azcosmos.ItemResponse

var withContent = &azcosmos.ItemOptions{EnableContentResponseOnWrite: true}

func keyOf(text string) azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(text) }

// container creates a container with the key /pk. The function may change its settings.
func (given *shop) container(change func(*azcosmos.ContainerProperties)) *azcosmos.ContainerClient {
	properties := azcosmos.ContainerProperties{
		ID:                     "orders",
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}},
	}
	if change != nil {
		change(&properties)
	}
	must(given.database.CreateContainer(background, properties, nil))
	return must(given.database.NewContainer(properties.ID))
}

func create(container *azcosmos.ContainerClient, key azcosmos.PartitionKey, item object) itemAnswer {
	return must(container.CreateItem(background, key, encoded(item), withContent))
}

func read(container *azcosmos.ContainerClient, key azcosmos.PartitionKey, id string) object {
	return decoded(must(container.ReadItem(background, key, id, nil)).Value)
}

func absent(container *azcosmos.ContainerClient, key azcosmos.PartitionKey, id string) {
	refused[itemAnswer](404)(container.ReadItem(background, key, id, nil))
}

func init() {
	a := keyOf("a")
	unsupported["bulk"] = "the client has no bulk operations"
	unsupported["delete-by-key"] = "the client cannot delete by key"
	unsupported["refusals"] = "the client has no calls that the embedded Cosmos DB refuses with 501"
	for _, row := range []string{"processor", "processor-latest", "processor-versions", "estimator"} {
		unsupported[row] = "the client has no change feed processor"
	}

	checks["connect"] = func(given *shop) {
		same(must(given.database.Read(background, nil)).DatabaseProperties.ID, "connect")
		stranger := given.connected(base64.StdEncoding.EncodeToString([]byte("another key")))
		database := must(stranger.NewDatabase("connect"))
		refused[azcosmos.DatabaseResponse](401)(database.Read(background, nil))
	}

	checks["containers"] = func(given *shop) {
		refused[azcosmos.DatabaseResponse](409)(given.client.CreateDatabase(background, azcosmos.DatabaseProperties{ID: "containers"}, nil))
		refused[azcosmos.DatabaseResponse](404)(must(given.client.NewDatabase("missing")).Read(background, nil))
		ttl, forever := int32(30), int32(-1)
		container := given.container(func(properties *azcosmos.ContainerProperties) { properties.DefaultTimeToLive = &ttl })
		properties := must(container.Read(background, nil)).ContainerProperties
		same(properties.DefaultTimeToLive, 30)
		same(properties.PartitionKeyDefinition.Paths, []string{"/pk"})
		same(properties.IndexingPolicy.IndexingMode, "consistent")
		page := must(given.database.NewQueryContainersPager("SELECT * FROM c", nil).NextPage(background))
		same([]int{len(page.Containers)}, []int{1})
		properties.DefaultTimeToLive = &forever
		same(must(container.Replace(background, *properties, nil)).ContainerProperties.DefaultTimeToLive, -1)
		refused[azcosmos.ContainerResponse](409)(given.database.CreateContainer(background, *properties, nil))
		must(container.Delete(background, nil))
		refused[azcosmos.ContainerResponse](404)(container.Read(background, nil))
		must(given.database.Delete(background, nil))
		refused[azcosmos.DatabaseResponse](404)(given.database.Read(background, nil))
	}

	checks["items"] = func(given *shop) {
		container := given.container(nil)
		created := decoded(create(container, a, object{"id": "1", "pk": "a", "n": 1}).Value)
		same(created["_etag"] != nil && created["_ts"].(float64) > 0, true)
		same(read(container, a, "1")["n"], 1)
		refused[itemAnswer](409)(container.CreateItem(background, a, encoded(object{"id": "1", "pk": "a"}), nil))
		upserted := must(container.UpsertItem(background, a, encoded(object{"id": "1", "pk": "a", "n": 2}), withContent))
		same(decoded(upserted.Value)["n"], 2)
		silent := must(container.ReplaceItem(background, a, "1", encoded(object{"id": "1", "pk": "a", "n": 3}), nil))
		same(len(silent.Value), 0)
		same(read(container, a, "1")["n"], 3)
		refused[itemAnswer](404)(container.ReplaceItem(background, a, "2", encoded(object{"id": "2", "pk": "a"}), nil))
		must(container.DeleteItem(background, a, "1", nil))
		absent(container, a, "1")
		refused[itemAnswer](404)(container.DeleteItem(background, a, "1", nil))
	}

	checks["etags"] = func(given *shop) {
		container := given.container(nil)
		first := create(container, a, object{"id": "1", "pk": "a", "n": 1}).ETag
		item := encoded(object{"id": "1", "pk": "a", "n": 2})
		second := must(container.ReplaceItem(background, a, "1", item, &azcosmos.ItemOptions{IfMatchEtag: &first})).ETag
		stale := &azcosmos.ItemOptions{IfMatchEtag: &first}
		refused[itemAnswer](412)(container.ReplaceItem(background, a, "1", item, stale))
		refused[itemAnswer](412)(container.UpsertItem(background, a, item, stale))
		refused[itemAnswer](412)(container.DeleteItem(background, a, "1", stale))
		must(container.DeleteItem(background, a, "1", &azcosmos.ItemOptions{IfMatchEtag: &second}))
	}

	checks["keys"] = func(given *shop) {
		container := given.container(nil)
		values := []any{"text", "ключ", "", 5, -1.5, 1e300, true, false, nil}
		keys := []azcosmos.PartitionKey{
			keyOf("text"), keyOf("ключ"), keyOf(""),
			azcosmos.NewPartitionKeyNumber(5), azcosmos.NewPartitionKeyNumber(-1.5), azcosmos.NewPartitionKeyNumber(1e300),
			azcosmos.NewPartitionKeyBool(true), azcosmos.NewPartitionKeyBool(false), azcosmos.NullPartitionKey,
		}
		for index, value := range values {
			create(container, keys[index], object{"id": "same", "pk": value, "index": index})
		}
		for index, key := range keys {
			same(read(container, key, "same")["index"], index)
			same(queried(container, "SELECT VALUE c.index FROM c", key, nil), []any{index})
		}
	}

	checks["unicode"] = func(given *shop) {
		container := given.container(nil)
		for _, id := range []string{"with space", "a+b", "100%", "%20", "ünï", "名前", "a&b=c", "'\"", "<tag>", "a:b@c", "[x]", "~", "😀"} {
			key := keyOf(id)
			create(container, key, object{"id": id, "pk": id, "text": strings.Repeat(id, 3)})
			same(read(container, key, id)["text"], strings.Repeat(id, 3))
			must(container.ReplaceItem(background, key, id, encoded(object{"id": id, "pk": id, "n": 1}), nil))
			var operations azcosmos.PatchOperations
			operations.AppendIncrement("/n", 1)
			must(container.PatchItem(background, key, id, operations, nil))
			parameters := []azcosmos.QueryParameter{{Name: "@id", Value: id}}
			same(queried(container, "SELECT VALUE c.n FROM c WHERE c.id = @id", key, parameters), []any{2})
			must(container.DeleteItem(background, key, id, nil))
		}
	}

	checks["big-documents"] = func(given *shop) {
		container := given.container(nil)
		text := strings.Repeat("x", 1_900_000)
		create(container, a, object{"id": "big", "pk": "a", "text": text})
		same(read(container, a, "big")["text"] == text, true)
		larger := encoded(object{"id": "bigger", "pk": "a", "text": text + strings.Repeat("x", 300_000)})
		refused[itemAnswer](413)(container.CreateItem(background, a, larger, nil))
	}

	checks["patch"] = func(given *shop) {
		container := given.container(nil)
		create(container, a, object{"id": "1", "pk": "a", "n": 1, "list": []int{1, 2}, "gone": 1})
		var operations azcosmos.PatchOperations
		operations.AppendAdd("/list/1", 9)
		operations.AppendSet("/state", "open")
		operations.AppendReplace("/n", 5)
		operations.AppendIncrement("/n", 2)
		operations.AppendRemove("/gone")
		patched := decoded(must(container.PatchItem(background, a, "1", operations, withContent)).Value)
		for name := range patched {
			if name[0] == '_' {
				delete(patched, name)
			}
		}
		same(patched, object{"id": "1", "pk": "a", "n": 7, "list": []int{1, 9, 2}, "state": "open"})
		var closing azcosmos.PatchOperations
		closing.AppendSet("/state", "closed")
		closing.SetCondition("from c where c.state = 'Open'")
		refused[itemAnswer](412)(container.PatchItem(background, a, "1", closing, nil))
		closing.SetCondition("from c where c.state = 'open'")
		must(container.PatchItem(background, a, "1", closing, nil))
		same(read(container, a, "1")["state"], "closed")
		var ofKey, ofNothing azcosmos.PatchOperations
		ofKey.AppendSet("/pk", "b")
		refused[itemAnswer](400)(container.PatchItem(background, a, "1", ofKey, nil))
		ofNothing.AppendReplace("/nothing", 1)
		refused[itemAnswer](400)(container.PatchItem(background, a, "1", ofNothing, nil))
		refused[itemAnswer](404)(container.PatchItem(background, a, "2", ofNothing, nil))
	}

	checks["batch"] = func(given *shop) {
		container := given.container(nil)
		var increment azcosmos.PatchOperations
		increment.AppendIncrement("/n", 5)
		batch := container.NewTransactionalBatch(a)
		batch.CreateItem(encoded(object{"id": "1", "pk": "a", "n": 1}), nil)
		batch.UpsertItem(encoded(object{"id": "2", "pk": "a"}), nil)
		batch.ReadItem("1", nil)
		batch.ReplaceItem("2", encoded(object{"id": "2", "pk": "a", "n": 2}), nil)
		batch.PatchItem("1", increment, nil)
		batch.DeleteItem("2", nil)
		same(statuses(container, batch), []int{201, 201, 200, 200, 200, 204})
		same(read(container, a, "1")["n"], 6)
		collision := container.NewTransactionalBatch(a)
		collision.CreateItem(encoded(object{"id": "3", "pk": "a"}), nil)
		collision.CreateItem(encoded(object{"id": "1", "pk": "a"}), nil)
		collision.DeleteItem("1", nil)
		same(statuses(container, collision), []int{424, 409, 424})
		absent(container, a, "3")
		nothing := azcore.ETag(`"nothing"`)
		stale := container.NewTransactionalBatch(a)
		stale.DeleteItem("1", &azcosmos.TransactionalBatchItemOptions{IfMatchETag: &nothing})
		same(statuses(container, stale), []int{412})
	}

	checks["read-many"] = func(given *shop) {
		container := given.container(nil)
		wanted, expected := []azcosmos.ItemIdentity{}, []string{}
		for n := range 40 {
			id, key := strconv.Itoa(n), azcosmos.NewPartitionKeyNumber(float64(n%7))
			create(container, key, object{"id": id, "pk": n % 7})
			if n%2 == 0 {
				wanted = append(wanted, azcosmos.ItemIdentity{ID: id, PartitionKey: key})
				expected = append(expected, id)
			}
		}
		wanted = append(wanted, azcosmos.ItemIdentity{ID: "missing", PartitionKey: azcosmos.NewPartitionKeyNumber(1)})
		same(idsOf(must(container.ReadManyItems(background, wanted, nil)).Items), sorted(expected))
	}

	checks["sessions"] = func(given *shop) {
		container := given.container(nil)
		created := create(container, a, object{"id": "1", "pk": "a"})
		same(created.RequestCharge > 0, true)
		options := &azcosmos.ItemOptions{SessionToken: created.SessionToken, ConsistencyLevel: azcosmos.ConsistencyLevelSession.ToPtr()}
		must(container.ReadItem(background, a, "1", options))
		before, lsn, _ := strings.Cut(*created.SessionToken, "#")
		ahead := before + "#" + strconv.Itoa(1_000_000+int(must(strconv.ParseInt(strings.Split(lsn, "#")[0], 10, 64))))
		options.SessionToken = &ahead
		refused[itemAnswer](404)(container.ReadItem(background, a, "1", options))
	}

	checks["time-to-live"] = func(given *shop) {
		forever := int32(-1)
		container := given.container(func(properties *azcosmos.ContainerProperties) { properties.DefaultTimeToLive = &forever })
		create(container, a, object{"id": "short", "pk": "a", "ttl": 1})
		create(container, a, object{"id": "long", "pk": "a"})
		deadline := time.Now().Add(10 * time.Second)
		for len(queried(container, "SELECT * FROM c", a, nil)) > 1 {
			if time.Now().After(deadline) {
				fail("the item did not expire")
			}
		}
		absent(container, a, "short")
	}

	checks["unique-keys"] = func(given *shop) {
		container := given.container(func(properties *azcosmos.ContainerProperties) {
			unique := []azcosmos.UniqueKey{{Paths: []string{"/email"}}}
			properties.UniqueKeyPolicy = &azcosmos.UniqueKeyPolicy{UniqueKeys: unique}
		})
		create(container, a, object{"id": "1", "pk": "a", "email": "x"})
		second := encoded(object{"id": "2", "pk": "a", "email": "x"})
		refused[itemAnswer](409)(container.CreateItem(background, a, second, nil))
		create(container, keyOf("b"), object{"id": "2", "pk": "b", "email": "x"})
	}

	checks["throughput"] = func(given *shop) {
		properties := azcosmos.ContainerProperties{ID: "manual", PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}}}
		manual := azcosmos.NewManualThroughputProperties(500)
		must(given.database.CreateContainer(background, properties, &azcosmos.CreateContainerOptions{ThroughputProperties: &manual}))
		container := must(given.database.NewContainer("manual"))
		found, _ := must(container.ReadThroughput(background, nil)).ThroughputProperties.ManualThroughput()
		same(found, 500)
		must(container.ReplaceThroughput(background, azcosmos.NewManualThroughputProperties(900), nil))
		found, _ = must(container.ReadThroughput(background, nil)).ThroughputProperties.ManualThroughput()
		same(found, 900)
		properties.ID = "scaled"
		scaled := azcosmos.NewAutoscaleThroughputProperties(4000)
		must(given.database.CreateContainer(background, properties, &azcosmos.CreateContainerOptions{ThroughputProperties: &scaled}))
		most, _ := must(must(given.database.NewContainer("scaled")).ReadThroughput(background, nil)).ThroughputProperties.AutoscaleMaxThroughput()
		same(most, 4000)
	}

	checks["error-texts"] = func(given *shop) {
		container := given.container(nil)
		create(container, a, object{"id": "1", "pk": "a"})
		conflict := refused[itemAnswer](409)(container.CreateItem(background, a, encoded(object{"id": "1", "pk": "a"}), nil))
		same(strings.Contains(conflict.Error(), `"code": "Conflict"`), true)
		missing := refused[itemAnswer](404)(container.ReadItem(background, a, "2", nil))
		same(strings.Contains(missing.Error(), `"code": "NotFound"`), true)
		for query, text := range map[string]string{"SELEC * FROM c": "Syntax error", "SELECT VALUE NOSUCH(c.id) FROM c": "NOSUCH"} {
			pager := container.NewQueryItemsPager(query, a, nil)
			refusal := refused[azcosmos.QueryItemsResponse](400)(pager.NextPage(background))
			same(strings.Contains(refusal.Error(), text), true)
		}
	}
}

func statuses(container *azcosmos.ContainerClient, batch azcosmos.TransactionalBatch) []int {
	found := []int{}
	for _, result := range must(container.ExecuteTransactionalBatch(background, batch, nil)).OperationResults {
		found = append(found, int(result.StatusCode))
	}
	return found
}

func idsOf(items [][]byte) []string {
	ids := []string{}
	for _, item := range items {
		ids = append(ids, decoded(item)["id"].(string))
	}
	return sorted(ids)
}
