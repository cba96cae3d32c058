// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Fills a tree level by level, and visits it so: a queue refers to its nodes, and children are added through it.
#include <stdio.h>
#include <stdlib.h>

struct node {
    int data;
    struct node *left, *right;
};

struct entry {
    struct node *node;
    struct entry *next;
};

struct queue {
    struct entry *front, *rear;
};

static int enqueue(struct queue *queue, struct node *node) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return 0;
    entry->node = node;
    entry->next = NULL;
    if (queue->rear)
        queue->rear->next = entry;
    else
        queue->front = entry;
    queue->rear = entry;
    return 1;
}

static struct node *dequeue(struct queue *queue) {
    struct entry *entry = queue->front;
    struct node *node = entry->node;
    queue->front = entry->next;
    if (!queue->front)
        queue->rear = NULL;
    free(entry);
    return node;
}

static struct node *leaf(int data) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    node->data = data;
    node->left = node->right = NULL;
    return node;
}

static struct node *insert(struct node *root, int data) {
    struct queue queue = {NULL, NULL};
    if (!root)
        return leaf(data);
    enqueue(&queue, root);
    while (queue.front) {
        struct node *node = dequeue(&queue);
        if (!node->left) {
            node->left = leaf(data);
            break;
        }
        if (!node->right) {
            node->right = leaf(data);
            break;
        }
        if (!enqueue(&queue, node->left) || !enqueue(&queue, node->right))
            break;
    }
    while (queue.front)
        dequeue(&queue);
    return root;
}

static void visit(struct node *root) {
    struct queue queue = {NULL, NULL};
    if (root)
        enqueue(&queue, root);
    while (queue.front) {
        struct node *node = dequeue(&queue);
        printf("%d\n", node->data);
        if (node->left && !enqueue(&queue, node->left))
            break;
        if (node->right && !enqueue(&queue, node->right))
            break;
    }
    while (queue.front)
        dequeue(&queue);
}

static void release(struct node *node) {
    if (!node)
        return;
    release(node->left);
    release(node->right);
    free(node);
}

int main(void) {
    struct node *root = NULL;
    int data;
    while (scanf("%d", &data) == 1)
        root = insert(root, data);
    visit(root);
    release(root);
    return 0;
}
